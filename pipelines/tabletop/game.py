"""A game under way: the referee judges it, and the players sit at it, in step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim.agents import Agent
from sim.agents.random import Random
from sim.referee import Game, Sown, sow
from sim.rules import Rules

if TYPE_CHECKING:  # the compiler, which people among themselves do not need
    from sim.sittings import Table

THIS = np.zeros(1, np.int64)  # the only game of a sitting

Seats = tuple[Agent | None, Agent | None]
"""Who plays South and North; `None` is a person."""


@dataclass(frozen=True)
class Choice:
    """What a player would play, and what it takes that to be worth; `None` where it cannot say."""

    pit: int
    worth: float | None


class GameInPlay:
    """A game that people and players play, an own pit of the player to move at a time.

    Its state is `referee`'s. The players' sitting goes along move by move, so that a search
    keeps what it knows; it is held against the referee after every move.

    >>> from sim.presets import load_variant
    >>> game = GameInPlay(load_variant("kalah").rules, (None, None))
    >>> game.play(2)
    >>> game.referee.score
    (1, 0)
    """

    def __init__(self, rules: Rules, seats: Seats, seed: int = 0, opening_plies: int = 0) -> None:
        self.rules, self.seats = rules, seats
        self._seed, self._opening_plies = seed, opening_plies
        self.referee = Game(rules)
        self._streams: list[int] = []  # where the sitting's randomness stood at each ply
        self._table = self._seated() if any(seats) or opening_plies else None
        self._check()

    @property
    def mover(self) -> Agent | None:
        """Who is to move; `None` is a person."""
        return self.seats[self.referee.position.to_move]

    @property
    def opening(self) -> bool:
        """Whether the next ply is one of those that are drawn, whoever is to move."""
        return len(self.referee.moves) < self._opening_plies

    @property
    def last(self) -> Sown | None:
        """What the last move did; the board that it left is not collected or refilled yet."""
        if not self.referee.moves:
            return None
        return sow(self.rules, self.referee.positions[-2], self.referee.moves[-1].pit)

    def choose(self) -> int:
        """Return the pit of the player to move, who is none of the people, or an opening's."""
        assert self._table is not None
        self._table.choose(THIS)
        return int(self._table.sitting.pit[0])

    def play(self, pit: int) -> None:
        """Play a pit. Raises `UserError` for one that is not legal."""
        stream = int(self._table.sitting.stream[0]) if self._table else 0
        self.referee.move(pit)
        self._streams.append(stream)
        if self._table:
            _move(self._table, pit)
            self._check()

    def undo(self) -> bool:
        """Go back to the last choice of a person; return whether there is one."""
        chosen = [
            move.ply
            for move in self.referee.moves[self._opening_plies :]
            if self.seats[move.player] is None
        ]
        if not chosen:
            return False
        kept = [move.pit for move in self.referee.moves[: chosen[-1] - 1]]
        stream = self._streams[len(kept)]
        self.referee, self._streams = Game(self.rules), self._streams[: len(kept)]
        for pit in kept:
            self.referee.move(pit)
        if self._table:
            self._table = self._seated()
            for pit in kept:
                _move(self._table, pit)
            # The same move gets the same answer again.
            self._table.sitting.stream[0] = stream
            self._check()
        return True

    def ask(self, agent: Agent) -> Choice:
        """Return what another player would play here."""
        from sim.sittings import Table

        table = Table(self.rules, (agent, agent), self._key("hint"), 0, 1)
        for move in self.referee.moves:
            _move(table, move.pit)
        table.choose(THIS)
        worth = float(table.sitting.worth[0])
        return Choice(int(table.sitting.pit[0]), None if math.isnan(worth) else worth)

    def _seated(self) -> Table:
        from sim.sittings import Opening, Table

        # Somebody has to sit in a person's place, whom nobody asks.
        south, north = (agent or Random() for agent in self.seats)
        opening = Opening(self._opening_plies, self._key("opening"))
        return Table(self.rules, (south, north), self._key("game"), 0, 1, opening)

    def _key(self, purpose: str) -> int:
        from sim.playing import game_key

        return game_key(self._seed, f"{purpose} {self.rules.id}")

    def _check(self) -> None:
        """Hold the sitting against the referee; should they differ, neither can be believed."""
        if self._table is None:
            return
        at, game = self._table.sitting, self.referee
        same = bool(len(self._table.going())) != game.over
        if same and not game.over:
            legal = sum(1 << pit for pit in game.legal)
            same = (int(at.player[0]), int(at.legal[0])) == (game.position.to_move, legal)
        if not same:
            raise RuntimeError(f"referee and kernel differ after {[m.pit for m in game.moves]}")


def _move(table: Table, pit: int) -> None:
    table.sitting.pit[0] = pit
    table.move(THIS)
