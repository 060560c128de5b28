"""Schedules: which games of a plan come next, given what there is."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pipelines.courses import Course, judge
from pipelines.manifest import Row
from pipelines.plan import MAX_GAMES, Plan
from pipelines.results import read_results
from pipelines.shards import Coverage, Span
from pipelines.stopping import Stop
from sim.errors import UserError

NEAR = 0.9
"""How near is nearly: the games that should do are played up to this part of them before a cell is
judged again; and with games for all cells those as wide as this part of the widest go first."""


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
        # The margin lies between all seeds against and all seeds for the first player.
        cells = plan.shared if plan.stop else ()
        self._courses = {cell.id: Course(cell.id, 2 * cell.total) for cell in cells}
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
            judge(self._goals, plan.stop)
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
        """Return about how many games are still to be played, those of the wave included."""
        stop = self._plan.stop
        if stop is None:
            return sum(self._plan.games - self._have.count(c.id) for c in self._plan.shared)
        most = stop.most or MAX_GAMES
        left = 0
        for course in self._courses.values():
            whole = course.goal
            if course.goes_on(stop):
                whole = max(whole, min(most, int(course.enough)))
            left += max(0, whole - self._have.count(course.cell))
        if stop.budget is not None:
            held = sum(self._have.count(cell) for cell in self._courses)
            return min(left, stop.budget - held) if stop.aims else stop.budget - held
        return left

    def planned(self, cell: str) -> int:
        """Return how many games a cell is to have, as far as is known by now."""
        return self._courses[cell].goal if self._courses else self._plan.games

    def goes_on(self, cell: str) -> bool:
        """Whether a cell is not through yet, by what was known when a wave was last asked for."""
        if self._plan.stop is None or not self._goals:
            return False
        course = self._courses[cell]
        return course.goal > course.games or course.goes_on(self._plan.stop)

    def _missing(self, goals: list[tuple[str, int, int]], games: int) -> Wave | None:
        spans = [
            part
            for cell, first, stop in goals
            for part in self._have.missing(Span(cell, first, stop - first))
        ]
        return Wave(spans, games) if spans else None

    def _decide(self, stop: Stop) -> bool:
        """Give the cells that go on their next goals; return whether there are any."""
        going = [c for c in self._courses.values() if c.goes_on(stop)]
        if stop.budget is None:
            self._goals = going
            for course in going:
                # So many games as should nearly do, that few looks and few files are needed.
                course.goal = stop.next_look(course.games, NEAR * course.enough)
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
