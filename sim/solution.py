"""What is known of a game's value under perfect play, and of its first moves."""

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["win", "draw", "loss"]
_SIGNED: dict[int, Outcome] = {1: "win", 0: "draw", -1: "loss"}


@dataclass(frozen=True)
class FirstMove:
    """A first move, and between which bounds its value lies: equal ones are its value.

    A value is player 0's: the seeds by which that player wins under perfect play, or 1, 0, -1 for
    a win, a draw, a loss where only these are known (`end.goal = "empty-first"`).
    """

    pit: int
    low: int
    high: int


@dataclass(frozen=True)
class Solution:
    """What is known of a game's value, which is player 0's, and of its first moves.

    `low` and `high` bound the value as in `FirstMove`. `solved`: the game's value and those of all
    first moves are known; else `unsolved` says in a sentence why not. `positions`: visited by a
    search, or held by a table. `notes` say which rules were solved in place of the variant's.
    """

    solved: bool
    low: int
    high: int
    in_seeds: bool
    to_move: int
    moves: tuple[FirstMove, ...]
    positions: int
    seconds: float
    notes: tuple[str, ...] = ()
    unsolved: str = ""

    @property
    def margin(self) -> int | None:
        """The seeds by which player 0 wins; `None` where it is not known, or not in seeds."""
        return self.margin_of(self)

    @property
    def outcome(self) -> Outcome | None:
        """What the game is for player 0; `None` where it is not known."""
        return self.outcome_of(self)

    def margin_of(self, part: "Solution | FirstMove") -> int | None:
        """Return the margin of the game or of a first move, if it is known."""
        return part.low if self.in_seeds and part.low == part.high else None

    def outcome_of(self, part: "Solution | FirstMove") -> Outcome | None:
        """Return the outcome of the game or of a first move, if it is known."""
        low, high = (_SIGNED[(bound > 0) - (bound < 0)] for bound in (part.low, part.high))
        return low if low == high else None

    @property
    def best(self) -> tuple[int, ...]:
        """The first moves that keep the game's value, once that is known."""
        keeping = (move.pit for move in self.moves if self.low == move.low == move.high)
        return tuple(keeping) if self.low == self.high else ()
