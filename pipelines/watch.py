"""Watches a run: counts its games, shows how its cells stand, and leaves signs of life."""

from collections.abc import Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from pipelines.cells import Cell
from pipelines.dataset import Dataset
from pipelines.manifest import Row
from pipelines.progress import Meter
from pipelines.pulse import Pulse
from pipelines.schedule import Schedule
from pipelines.standing import Standing

LINES = 8  # cells that are shown at once, the last of those that were committed


class Watch:
    """Is told of games as they are played and of shards as they are committed."""

    def __init__(
        self, cells: Mapping[str, Cell], dataset: Dataset, schedule: Schedule, *, shown: bool
    ) -> None:
        self._cells, self._schedule = cells, schedule
        self._pulse = Pulse(dataset.folder)
        self._meter = Meter(0, shown=shown, heard=self._pulse.beat)
        self._standing = Standing(schedule.seed, dataset.folder, dataset.rows) if shown else None
        self._stack = ExitStack()
        self.played = 0

    def __enter__(self) -> Self:
        self._stack.callback(self._pulse.end)
        self._stack.enter_context(self._meter)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def expect(self, games: int) -> None:
        """Take it that so many games are still to be played."""
        self._meter.total = self.played + games

    def tick(self, games: int) -> None:
        """Count games that were played; safe to use from threads."""
        self._meter.add(games)

    def committed(self, row: Row) -> None:
        """Show how the cells of a committed shard stand."""
        self.played += row.rows
        if self._standing:
            self._standing.add(row)
            self._meter.lines = [
                self._standing.line(self._cells[cell], self._schedule.planned(cell))
                for cell in self._standing.latest[-LINES:]
            ]
