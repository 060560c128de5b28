"""Schedules: which games of a plan come next, given what there is."""

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

from pipelines.courses import Course, even_games, judge
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
            self._judge(self._goals, plan.stop)
            self._goals = []
        return None

    def settled(self) -> "Schedule":
        """Return this schedule with each cell judged as far as its games go, whatever others lack.

        So it tells how things stand, and does not serve to go on. With games for all cells each
        depends on the others, and they are judged wave by wave.
        """
        twin = copy(self)
        twin._goals = []
        twin._courses = {
            cell: replace(course, waiting=dict(course.waiting))
            for cell, course in self._courses.items()
        }
        stop = self._plan.stop
        if stop is None or stop.budget is not None:
            twin.wave()
            return twin
        moving = list(twin._courses.values())
        while moving:
            for course in moving:
                course.goal = stop.next_look(course.games, NEAR * course.enough)
            moving = [course for course in moving if not any(twin._lacking(course))]
            twin._judge(moving, stop)
            moving = [course for course in moving if course.goes_on(stop)]
        return twin

    def check(self) -> None:
        """Raise `UserError` where there are more games than the plan gives."""
        stop = self._plan.stop
        budget = stop and stop.budget
        total = sum(self._have.count(cell) for cell in self._courses) if budget else 0
        if budget and total > budget:
            raise UserError(
                f"{self._folder} holds another plan: it has {total:,} games, this plan's"
                f" stop.total_games are {budget:,}: choose another --out"
            )
        for course in self._courses.values():
            held = self._have.end(course.cell)
            if held > course.games and not self.goes_on(course.cell):
                raise UserError(
                    f"{self._folder} holds another plan: it has {held:,} games of cell"
                    f" {course.cell}, which this plan stops after {course.games:,}: choose another"
                    " --out"
                )

    def missing(self) -> int:
        """Return how many games cells lack of what they are to have as far as is known by now."""
        return sum(
            self.planned(cell.id) - self._have.count(cell.id, self.planned(cell.id))
            for cell in self._plan.shared
        )

    def expected(self) -> dict[str, int]:
        """Return about how many games of each cell are still to be played, the wave included.

        A cell that has not been judged yet is taken to be as even as can be, and its margin, of
        which nothing is known, as precise as its share.
        """
        stop = self._plan.stop
        if stop is None:
            goals = {cell.id: self._plan.games for cell in self._plan.shared}
        else:
            even = even_games(stop)
            goals = {
                course.cell: max(course.goal, min(stop.most or MAX_GAMES, course.enough or even))
                if course.goes_on(stop) else course.games
                for course in self._courses.values()
            }  # fmt: skip
        left = {c: max(0, goal - self._have.count(c)) for c, goal in goals.items()}
        if stop is None or stop.budget is None:
            return left
        rest = stop.budget - sum(self._have.count(cell) for cell in self._courses)
        whole = sum(left.values())
        return {cell: games * rest // max(whole, rest, 1) for cell, games in left.items()}

    def planned(self, cell: str) -> int:
        """Return how many games a cell is to have, as far as is known by now."""
        return self._courses[cell].goal if self._courses else self._plan.games

    def goes_on(self, cell: str) -> bool:
        """Whether a cell is not through yet, as far as is known by now."""
        stop = self._plan.stop
        if stop is None:
            return self._have.count(cell, self._plan.games) < self._plan.games
        if stop.budget is not None and not self._goals:
            return False
        course = self._courses[cell]
        return course.goal > course.games or course.goes_on(stop)

    def _judge(self, courses: list[Course], stop: Stop) -> None:
        """Judge cells whose games up to their goals are there."""
        if not all(course.advance(self._folder) for course in courses):
            raise UserError(f"{self._folder}: damaged: see `mancalab verify {self._folder}`")
        if courses:
            judge(courses, stop)

    def _lacking(self, course: Course) -> Iterator[Span]:
        return self._have.missing(Span(course.cell, course.games, course.goal - course.games))

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
            # Up to twice the games, one after the other, so that with more games in all each has as
            # many, and comes by the same looks.
            more = min(stop.next_look(course.games, 2 * course.games) - course.games, left)
            if more:
                course.goal = course.games + more
                self._goals.append(course)
                left -= more
        return bool(self._goals)
