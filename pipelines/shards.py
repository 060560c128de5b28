"""Shards: the parts in which a plan is played, each one file, each named by its content."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from pipelines.cells import Cell
from pipelines.plan import Plan

SMALLEST, LARGEST, PARTS = 1 << 15, 1 << 20, 16
"""A dataset has about `PARTS` files, unless these would be very small or take very long."""

FEWEST = 64
"""Games of a shard at least, of players that take their time: a search plays so many at once."""

GAME_SECONDS = 50 * 15e-9
"""What a game of random players takes, about: fifty moves of 15 nanoseconds."""

SHORTEST, LONGEST = 10.0, 60.0
"""Seconds that a shard takes of slower players. A run that is interrupted loses as much in each
thread; in shorter ones beginning and end would weigh."""


class Span(NamedTuple):
    """Games `first` … `first + games - 1` of a cell."""

    cell: str
    first: int
    games: int

    @property
    def stop(self) -> int:
        """The number after the last game's."""
        return self.first + self.games


@dataclass(frozen=True)
class Shard:
    """Games that are played and written together, sorted by cell then game."""

    seed: int
    log: str
    spans: tuple[Span, ...]

    @property
    def games(self) -> int:
        """How many games it holds."""
        return sum(span.games for span in self.spans)

    @property
    def id(self) -> str:
        """The strong id of the content, 32 hex digits; the plan around it does not count."""
        text = json.dumps([self.seed, self.log, self.spans], separators=(",", ":"))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    @property
    def file(self) -> str:
        """Its file in a dataset: in the order of names, files are sorted by cell then game.

        That is the file whose appearance commits it: of its games, or where no row of these is
        kept, of their statistics.
        """
        return f"{'stats' if self.log == 'none' else 'games'}/{self.name}"

    @property
    def name(self) -> str:
        """The name of its files."""
        cell, first, _ = self.spans[0]
        return f"{cell[:8]}-{first:013}-{self.id}.parquet"


class Coverage:
    """Which games of which cells there are, as disjoint ascending intervals [first, stop)."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self._held: dict[str, list[tuple[int, int]]] = {}
        by_cell: dict[str, list[tuple[int, int]]] = {}
        for span in spans:
            by_cell.setdefault(span.cell, []).append((span.first, span.stop))
        for cell, intervals in by_cell.items():
            self._held[cell] = _joined(intervals)

    def add(self, spans: Iterable[Span]) -> None:
        """Add games; those that are held already stay once."""
        for span in spans:
            held = self._held.get(span.cell, [])
            self._held[span.cell] = _joined([*held, (span.first, span.stop)])

    def missing(self, span: Span) -> Iterator[Span]:
        """Yield the parts of a span that are not held, ascending."""
        first = span.first
        for start, stop in self._held.get(span.cell, []):
            if start >= span.stop:
                break
            if start > first:
                yield Span(span.cell, first, start - first)
            first = max(first, stop)
        if first < span.stop:
            yield Span(span.cell, first, span.stop - first)

    def count(self, cell: str, games: int | None = None) -> int:
        """Return how many games of a cell are held, of those below `games` if that is given."""
        end = float("inf") if games is None else games
        held = self._held.get(cell, [])
        return int(sum(max(0, min(stop, end) - start) for start, stop in held))

    def common(self, span: Span) -> int:
        """Return how many games of a span are held."""
        return span.games - sum(part.games for part in self.missing(span))

    def end(self, cell: str) -> int:
        """Return the number after the last game held of a cell."""
        return max((stop for _, stop in self._held.get(cell, [])), default=0)

    @property
    def cells(self) -> list[str]:
        """The cells of which games are held."""
        return list(self._held)


def shards_of(plan: Plan, spans: Iterable[Span], games: int) -> list[Shard]:
    """Return the shards of games of a plan that are missing, sorted by cell then game.

    `games` are all that are played before cells are judged, missing or not: shards' size is that
    of so many, so that what is missing after an interruption falls into the very shards that were
    not finished.
    """
    return list(pack(spans, plan.seed, plan.log, games_of_shard(plan, games)))


def games_of_shard(plan: Plan, games: int) -> int:
    """Return how many of some games a plan's shards take: as many as suit its slowest pairing.

    Were each pairing weighed for itself, files would not become much fewer, for most are those of
    the slowest players.
    """
    return shard_games(games, max((weight_of(cell) for cell in plan.cells), default=1.0))


def weight_of(cell: Cell) -> float:
    """Return what a cell's game costs, about, in games of random players."""
    return sum(agent.weight for agent in cell.agents) / 2


def shard_games(total: int, weight: float = 1.0) -> int:
    """Return how many games a shard takes in a dataset of `total` games of some weight.

    >>> shard_games(10**6), shard_games(10**6, weight=40_000), shard_games(10**6, weight=10**8)
    (62500, 2000, 64)
    """
    least, most = (
        max(FEWEST, min(games, int(seconds / (GAME_SECONDS * weight))))
        for games, seconds in ((SMALLEST, SHORTEST), (LARGEST, LONGEST))
    )
    return max(least, min(most, -(-total // PARTS)))


def pack(spans: Iterable[Span], seed: int, log: str, size: int) -> Iterator[Shard]:
    """Fill shards of `size` games with spans in their order, cutting spans where one is full."""
    taken: list[Span] = []
    room = size
    for span in spans:
        rest = span
        while rest.games:
            part = Span(rest.cell, rest.first, min(rest.games, room))
            if taken and (taken[-1].cell, taken[-1].stop) == (part.cell, part.first):
                taken[-1] = Span(part.cell, taken[-1].first, taken[-1].games + part.games)
            else:
                taken.append(part)
            room -= part.games
            rest = Span(rest.cell, part.stop, rest.games - part.games)
            if not room:
                yield Shard(seed, log, tuple(taken))
                taken, room = [], size
    if taken:
        yield Shard(seed, log, tuple(taken))


def _joined(intervals: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, stop in sorted(intervals):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], stop))
        else:
            joined.append((start, stop))
    return joined
