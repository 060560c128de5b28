"""Schedules: which games of a plan come next, given what there is."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pipelines.cells import Cell
from pipelines.manifest import Row
from pipelines.plan import MAX_GAMES, Plan
from pipelines.results import Result, read_results, split
from pipelines.sequences import mean_sequence, share_sequence
from pipelines.shards import Coverage, Span
from pipelines.stopping import Stop
from sim.errors import UserError

NEAR = 0.9
"""How near is nearly: the games that should do are played up to this part of them before a cell is
judged again; and with games for all cells those as wide as this part of the widest go first."""


@dataclass(eq=False)
class Course:
    """How a cell stands: its games up to the last look, and what they came to.

    `goal` is the number of games it is to have next, `width` how far its interval reaches to each
    side as a part of what is asked, infinite before the first look; `waiting` are results of later
    games by the first one's number.
    """

    cell: str
    span: int  # seeds between the least and the largest margin
    games: int = 0
    goal: int = 0
    width: float = np.inf
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


@dataclass(frozen=True)
class Wave:
    """Games to play before cells are judged again: what is missing of it, and its size in all."""

    spans: list[Span]
    games: int


class Schedule:
    """A plan's games, or those of its share, in waves, which depend on the plan alone.

    Without `[stop]` there is one. Tell it of every committed shard with `add`.
    """

    def __init__(self, plan: Plan, folder: Path, rows: Iterable[Row]) -> None:
        self.seed = plan.seed
        self._plan, self._folder = plan, folder
        self._have = Coverage()
        self._courses = {c.id: Course(c.id, _span(c)) for c in plan.shared} if plan.stop else {}
        self._goals: list[Course] = []
        for row in rows:
            self.add(row)

    def add(self, row: Row) -> None:
        """Take a committed shard into account; those of other seeds are none of the plan's."""
        if row.seed != self._plan.seed:
            return
        self._have.add(row.spans)
        if self._plan.stop:
            for result in read_results(row, self._folder):
                if result.span.cell in self._courses:
                    self._courses[result.span.cell].waiting[result.span.first] = result, row

    def wave(self) -> Wave | None:
        """Return the games to play now, or None where the plan, or its share, is complete."""
        plan = self._plan
        if plan.stop is None:
            goals = [(cell.id, 0, plan.games) for cell in plan.shared]
            return self._missing(goals, plan.total)
        while self._goals or self._decide(plan.stop):
            goals = [(course.cell, course.games, course.goal) for course in self._goals]
            if wave := self._missing(goals, sum(stop - first for _, first, stop in goals)):
                return wave
            if not all(course.advance(self._folder) for course in self._goals):
                raise UserError(f"{self._folder}: damaged: see `mancalab verify {self._folder}`")
            _judge(self._goals, plan.stop)
            self._goals = []
        return None

    def check(self) -> None:
        """Raise `UserError` where a cell has more games than a plan that is complete gives it."""
        for course in self._courses.values():
            held = self._have.end(course.cell)
            if held > course.goal:
                raise UserError(
                    f"{self._folder} holds another plan: it has {held:,} games of cell"
                    f" {course.cell}, which this plan stops after {course.goal:,}: choose another"
                    " --out"
                )

    def expected(self) -> int:
        """Return about how many games are still to be played, those of the wave included.

        A width falls with the root of the number of games.
        """
        stop = self._plan.stop
        if stop is None:
            return sum(self._plan.games - self._have.count(c.id) for c in self._plan.shared)
        most = stop.most or MAX_GAMES
        left = 0
        for course in self._courses.values():
            whole = course.goal
            if _goes_on(course, stop) and np.isfinite(course.width):
                whole = max(whole, min(most, int(course.games * course.width**2)))
            left += max(0, whole - self._have.count(course.cell))
        if stop.budget is not None:
            held = sum(self._have.count(cell) for cell in self._courses)
            return min(left, stop.budget - held) if _aims(stop) else stop.budget - held
        return left

    def planned(self, cell: str) -> int:
        """Return how many games a cell is to have, as far as is known by now."""
        return self._courses[cell].goal if self._courses else self._plan.games

    def goes_on(self, cell: str) -> bool:
        """Whether a cell is not through yet, by what was known when a wave was last asked for."""
        if self._plan.stop is None or not self._goals:
            return False
        course = self._courses[cell]
        return course in self._goals or _goes_on(course, self._plan.stop)

    def _missing(self, goals: list[tuple[str, int, int]], games: int) -> Wave | None:
        spans = [
            part
            for cell, first, stop in goals
            for part in self._have.missing(Span(cell, first, stop - first))
        ]
        return Wave(spans, games) if spans else None

    def _decide(self, stop: Stop) -> bool:
        """Give the cells that go on their next goals; return whether there are any."""
        going = [c for c in self._courses.values() if _goes_on(c, stop)]
        if stop.budget is None:
            self._goals = going
            for course in going:
                # So many games as should nearly do, that few looks and few files are needed.
                nearly = NEAR * course.games * course.width**2 if course.games else 0
                course.goal = stop.next_look(course.games, nearly)
            return bool(going)
        going.sort(key=lambda course: (-course.width, course.cell))
        widest = [c for c in going if c.width >= NEAR * going[0].width] if going else []
        left = stop.budget - sum(course.games for course in self._courses.values())
        for course in widest:
            # In steps that halve neither the width nor, all together, what is left.
            nearly = min(2 * course.games, course.games + left // (4 * len(widest)))
            more = min(stop.next_look(course.games, nearly) - course.games, left)
            if more:
                course.goal = course.games + more
                self._goals.append(course)
                left -= more
        return bool(self._goals)


def _span(cell: Cell) -> int:
    """Return how many seeds lie between a cell's largest and least margin: twice all its seeds."""
    return 2 * cell.total


def _goes_on(course: Course, stop: Stop) -> bool:
    """Whether a cell plays on after its last look, games for all cells apart."""
    if stop.most is not None and course.games >= stop.most:
        return False
    return course.width > 1 or not _aims(stop)


def _aims(stop: Stop) -> bool:
    """Whether a width is asked for at all."""
    return stop.half_width is not None or stop.margin_half_width is not None


def _judge(courses: list[Course], stop: Stop) -> None:
    """Work out the widths of cells, each as a part of what is asked of it, the widest counts."""
    n, won, drawn, lost, margins, squares, span = np.array(
        [(c.games, c.wins, c.draws, c.losses, c.margins, c.squares, c.span) for c in courses],
        np.float64,
    ).T
    widths = np.zeros(len(courses))
    if stop.half_width is not None or not _aims(stop):
        low, high = share_sequence(won, drawn, lost)
        widths = (high - low) / 2 / (stop.half_width or 1.0)
    if stop.margin_half_width is not None:
        mean = margins / n
        spread = np.sqrt(np.maximum(squares - n * mean**2, 0) / np.maximum(n - 1, 1))
        low, high = mean_sequence(mean, spread, n, span)
        widths = np.maximum(widths, (high - low) / 2 / stop.margin_half_width)
    for course, width in zip(courses, widths.tolist(), strict=True):
        course.width = width
