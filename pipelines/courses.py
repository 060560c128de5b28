"""How the cells of a plan with `[stop]` stand, and how many games should do."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipelines.manifest import Row
from pipelines.plan import MAX_GAMES
from pipelines.results import Result, split
from pipelines.sequences import mean_sequence, share_sequence
from pipelines.stopping import Stop

_HALVINGS = 8  # of the games that should do, on a logarithmic scale: to within a few per cent


@dataclass(eq=False)
class Course:
    """How a cell stands: its games up to the last look, and what they came to.

    `goal` is the number of games it is to have next. `width` is half the interval's width as a
    part of what is asked, infinite before the first look, and `enough` the number of games that
    should do, about. `waiting` are results of later games by the first one's number.
    """

    cell: str
    span: int  # seeds between the least and the largest margin
    games: int = 0
    goal: int = 0
    width: float = np.inf
    enough: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    margins: int = 0
    squares: int = 0
    waiting: dict[int, tuple[Result, Row]] = field(default_factory=dict)

    def advance(self, folder: Path) -> bool:
        """Take the results up to the goal; return whether they are there."""
        while self.games < self.goal and (found := self.waiting.pop(self.games, None)):
            result, row = found
            if result.span.stop > self.goal:
                result, rest = split(result, self.goal - self.games, row, folder)
                self.waiting[self.goal] = rest, row
            self.games = result.span.stop
            self.wins += result.wins
            self.draws += result.draws
            self.losses += result.losses
            self.margins += result.margins
            self.squares += result.squares
        return self.games == self.goal

    def goes_on(self, stop: Stop) -> bool:
        """Whether it plays on after its last look, games for all cells apart."""
        if stop.most is not None and self.games >= stop.most:
            return False
        return self.width > 1 or not stop.aims


def judge(courses: Sequence[Course], stop: Stop) -> None:
    """Work out the widths of cells that have games, and how many games should do."""
    figures = np.array(
        [(c.games, c.wins, c.draws, c.losses, c.margins, c.squares, c.span) for c in courses],
        np.float64,
    ).T
    widths = _widths(figures, np.ones(len(courses)), stop)
    # As results are by now, a width falls with the root of the number of games, or faster.
    most = np.maximum(np.log(widths) * 2, 0)
    low, high = np.zeros_like(most), np.minimum(most, np.log(MAX_GAMES / figures[0]))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        wide = _widths(figures, np.exp(middle), stop) > 1
        low, high = np.where(wide, middle, low), np.where(wide, high, middle)
    enough = figures[0] * np.exp((low + high) / 2)
    for course, width, games in zip(
        courses, widths.tolist(), enough.astype(np.int64).tolist(), strict=True
    ):
        course.width, course.enough = width, games


def even_games(stop: Stop) -> int:
    """Return how many games a cell takes to be as precise as asked whose players are even."""
    if stop.half_width is None:
        return stop.least if stop.aims else MAX_GAMES
    even = Course("", 1, games=stop.least, wins=stop.least // 2, losses=-(-stop.least // 2))
    judge([even], replace(stop, margin_half_width=None))
    return even.enough


def _widths(
    figures: NDArray[np.float64], times: NDArray[np.float64], stop: Stop
) -> NDArray[np.float64]:
    """Return widths as parts of what is asked, of `times` as many games that go alike.

    Of two intervals the wider one counts.
    """
    n, won, drawn, lost, margins, squares, span = figures
    widths: NDArray[np.float64] = np.zeros_like(n)
    if stop.half_width is not None or not stop.aims:
        low, high = share_sequence(won * times, drawn * times, lost * times)
        widths = (high - low) / 2 / (stop.half_width or 1.0)
    if stop.margin_half_width is not None:
        mean = margins / n
        spread = np.sqrt(np.maximum(squares - n * mean**2, 0) / np.maximum(n - 1, 1))
        low, high = mean_sequence(mean, spread, n * times, span)
        widths = np.maximum(widths, (high - low) / 2 / stop.margin_half_width)
    return widths
