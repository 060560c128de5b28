"""A game fed with moves: a round, or a match of rounds with burnt pits."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim.errors import UserError, shown
from sim.referee.ends import (
    RoundReason,
    after_passes,
    collect,
    end_of_round,
    winner_of_round,
)
from sim.referee.match import MatchReason, end_of_match, refilled, winner_of_match
from sim.referee.position import Position, Row, is_integer, read_start, start_of
from sim.referee.sowing import Sown, legal, sow
from sim.rules import Rules


@dataclass(frozen=True)
class Move:
    """A move that was played.

    `ply` and `turn` count from 1 through the whole game; a turn begins with every move that is
    not an extra turn. `captured` has the capturing seed in it, `gained` is all that the
    mover's store gained by the move. `extra_turn`: the same player moves next for having ended
    in a store. `legal_moves`: how many pits there were to choose from. `stores`: after the
    move, before any collection.
    """

    round: int
    ply: int
    turn: int
    player: int
    pit: int
    lifted: int
    laps: int
    captured: int
    gained: int
    extra_turn: bool
    legal_moves: int
    stores: tuple[int, int]


@dataclass(frozen=True)
class Round:
    """A round that is over. `score` is before refilling; `winner` is `None` for a draw."""

    round: int
    first_player: int
    score: tuple[int, int]
    reason: RoundReason
    winner: int | None
    plies: int
    burnt: tuple[int, int]


class RoundInPlay:
    """A round under way, with what judging its end has to remember.

    `reason` is what has ended it, `None` while it goes on; a start is judged like any position.
    """

    def __init__(self, rules: Rules, position: Position) -> None:
        self.rules = rules
        self.position = after_passes(rules, position)
        self.first_player = self.position.to_move
        self.plies = 0
        self.seen = Counter([self._repeated()])
        self.reason = self._judge()

    def move(self, pit: int) -> Sown:
        """Play a legal pit and judge the position that it leads to."""
        sown = sow(self.rules, self.position, pit)
        self.position = after_passes(self.rules, sown.position)
        self.plies += 1
        # Counted from the round's start: since a seed in a store never leaves it, no position
        # from before a seed last came into a store can come again.
        self.seen[self._repeated()] += 1
        self.reason = "max-laps" if sown.max_laps else self._judge()
        return sown

    def _repeated(self) -> tuple[tuple[Row, Row], int]:
        """Return what `end.repetition` compares: the rows and the player to move."""
        return self.position.pits, self.position.to_move

    def _judge(self) -> RoundReason | None:
        return end_of_round(self.rules, self.position, self.seen[self._repeated()], self.plies)


class Game:
    """The referee of one game.

    `position` is what the next move is chosen from, `legal` the pits that may be chosen. After
    a move that ends a round of a match, it is the next round's refilled board; at the end the
    final board, leftover seeds collected. `positions` has all of them, from the start on;
    `moves` and `rounds` what was played. A start that is over before its first move adds no
    round. `winner` is `None` for a draw, and as long as nobody has won.

    >>> from sim.presets import load_variant
    >>> game = Game(load_variant("kalah").rules)
    >>> game.move(2).extra_turn, game.legal
    (True, [0, 1, 3, 4, 5])
    """

    def __init__(self, rules: Rules, start: Position | Mapping[str, Any] | None = None) -> None:
        if start is None:
            start = start_of(rules)
        elif not isinstance(start, Position):
            start = read_start(rules, start)
        self.rules = rules
        self.moves: list[Move] = []
        self.rounds: list[Round] = []
        self.round = 1
        self.reason: RoundReason | MatchReason | None = None
        self.winner: int | None = None
        self._in_play = RoundInPlay(rules, start)
        self.position = self._in_play.position
        if reason := self._in_play.reason:
            # Even a match ends here, with this round's reason, and has played no round.
            final = collect(rules, self.position, reason)
            self._finish(final, reason, winner_of_round(rules, final, reason))
        self.positions = [self.position]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.reason is not None

    @property
    def legal(self) -> list[int]:
        """The pits that may be chosen now, ascending; none when the game is over."""
        return [] if self.over else legal(self.rules, self.position)

    @property
    def score(self) -> tuple[int, int]:
        """The seeds in the two stores."""
        return self.position.stores

    def move(self, pit: int) -> Move:
        """Play a pit. Raises `UserError` naming the ply, the pit and the legal pits."""
        choices, before, turn = self._choices(pit), self.position, self._turn()
        round_ = self._in_play
        sown = round_.move(pit)
        # No extra turn where the round is over, or where its owner has to pass.
        same_player = round_.reason is None and round_.position.to_move == before.to_move
        move = Move(
            round=self.round,
            ply=len(self.moves) + 1,
            turn=turn,
            player=before.to_move,
            pit=pit,
            lifted=sown.lifted,
            laps=sown.laps,
            captured=sown.captured,
            gained=sown.gained,
            extra_turn=sown.in_store and same_player,
            legal_moves=len(choices),
            stores=sown.position.stores,
        )
        self.moves.append(move)
        # More than once where the refilled board is over before its first move.
        while self._in_play.reason and not self.over:
            self._end_round(self._in_play, self._in_play.reason)
        if not self.over:
            self.position = self._in_play.position
        self.positions.append(self.position)
        return move

    def _choices(self, pit: int) -> list[int]:
        """Return the legal pits, of which `pit` has to be one."""
        choices = self.legal
        if is_integer(pit) and pit in choices:
            return choices
        where = f"ply {len(self.moves) + 1}: pit {shown(pit)}"
        if self.over:
            raise UserError(
                f"{where} cannot be played: the game is over ({self.reason}); legal pits: none"
            )
        raise UserError(
            f"{where} is not legal for player {self.position.to_move};"
            f" legal pits: {', '.join(map(str, choices))}"
        )

    def _turn(self) -> int:
        """Return the number of the turn that the next move belongs to."""
        if not self.moves:
            return 1
        last = self.moves[-1]
        return last.turn if last.extra_turn else last.turn + 1

    def _end_round(self, ended: RoundInPlay, reason: RoundReason) -> None:
        """Record a round that is over; then end the game, or refill the board and go on."""
        rules = self.rules
        final = collect(rules, ended.position, reason)
        winner = winner_of_round(rules, final, reason)
        self.rounds.append(
            Round(
                round=self.round,
                first_player=ended.first_player,
                score=final.stores,
                reason=reason,
                winner=winner,
                plies=ended.plies,
                burnt=(len(final.closed[0]), len(final.closed[1])),
            )
        )
        if rules.match.kind == "single":
            self._finish(final, reason, winner)
        elif match_reason := end_of_match(rules, final, self.round):
            self._finish(final, match_reason, winner_of_match(rules, final))
        else:
            last_mover = self.moves[-1].player
            self._in_play = RoundInPlay(
                rules, refilled(rules, final, ended.first_player, last_mover)
            )
            self.round += 1

    def _finish(
        self, final: Position, reason: RoundReason | MatchReason, winner: int | None
    ) -> None:
        self.position, self.reason, self.winner = final, reason, winner
