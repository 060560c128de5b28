"""A game in the terminal, from its first board to its last line."""

from collections.abc import Callable, Iterable
from dataclasses import asdict

from pipelines.messages import folded
from pipelines.tabletop import screen
from pipelines.tabletop.board import SEATS, draw, marks_of, no_ink
from pipelines.tabletop.game import GameInPlay
from pipelines.tabletop.person import Person
from pipelines.tabletop.words import (
    begun_in_words,
    collected_in_words,
    result_in_words,
    round_in_words,
)
from pipelines.transcript import move_in_words
from sim.agents import Agent
from sim.errors import UserError
from sim.referee import Cell, Position

MARKED = "Last move: - lifted, + sown, * last seed, ! captured. (2) may be chosen"
BURNT = ", x: burnt"


class Bout:
    """Plays one game and says all about it.

    `adviser` gives the hints, `record` writes the moves as a command.
    """

    def __init__(self, game: GameInPlay, adviser: Agent, record: Callable[[], str]) -> None:
        self._game, self._record = game, record
        self._person = Person(game, adviser, record)
        self._ink = screen.ink if screen.in_colour() else no_ink
        self._names = [
            f"{seat} ({agent.text if agent else 'human'})"
            for seat, agent in zip(SEATS, game.seats, strict=True)
        ]
        self._told = 0  # rounds whose end has been told

    def play(self, title: str) -> None:
        """Play the game to its end, or until a person leaves it."""
        screen.prepare()
        self._introduce(title)
        try:
            self._play_out()
        except EOFError:
            print(f"\nleft at ply {len(self._game.referee.moves) + 1}")
        except (KeyboardInterrupt, UserError):
            print(f"\n{self._record()}")
            raise
        print(self._record())

    def _introduce(self, title: str) -> None:
        print(folded(f"{title}: {self._names[0]} against {self._names[1]}"))
        print(f"{MARKED}{BURNT if self._matches else ''}.")
        if None in self._game.seats:
            print("Type a pit's number, or hint, undo, rules, moves, help or quit.")

    def _play_out(self) -> None:
        game = self._game
        self._show()
        while not game.referee.over:
            if game.mover is None and not game.opening:
                self._person.act()
            else:
                name = self._names[game.referee.position.to_move]
                game.play(screen.thought(game.choose, f"{name} is thinking"))
            self._show()
        print()
        for line in result_in_words(game.referee, self._names):
            print(line)

    def _show(self) -> None:
        """Show what the last move did and what it leads to."""
        referee, done = self._game.referee, self._game.last
        ended, self._told = referee.rounds[self._told :], len(referee.rounds)
        print()
        if done is None:
            self._draw(referee.position, referee.legal)
            return
        move = referee.moves[-1]
        print(folded(move_in_words(asdict(move), SEATS[move.player])))
        marks = marks_of(move.player, move.pit, done)
        if not referee.over and move.round == referee.round:
            self._draw(referee.position, referee.legal, marks)
            if referee.position.to_move != done.position.to_move:
                print(f"{SEATS[done.position.to_move]}'s row is empty: a pass")
            return
        self._draw(done.position, (), marks)
        if ended and (collected := collected_in_words(done.position, ended[0])):
            print(collected)
        if self._matches:
            for round_ in ended:
                print(folded(round_in_words(round_)))
        if not referee.over:
            print()
            print(folded(begun_in_words(self._game.rules, referee.round, referee.position)))
            self._draw(referee.position, referee.legal)

    def _draw(
        self, position: Position, legal: Iterable[int], marks: dict[Cell, str] | None = None
    ) -> None:
        print("\n".join(draw(self._game.rules, position, legal, marks, self._ink)))

    @property
    def _matches(self) -> bool:
        return self._game.rules.match.kind != "single"
