"""Which files the games of several datasets are taken from, so that none counts twice."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pipelines.dataset import Dataset
from pipelines.logs import LEVELS
from pipelines.manifest import Row, Seal
from pipelines.reading import UnreadableError
from pipelines.shards import Coverage, Span
from pipelines.statistics import is_current
from sim.errors import UserError


@dataclass(frozen=True)
class Part:
    """A shard's file and the games taken from it; `whole` if these are all it has.

    `log` says what is kept of its games.
    """

    path: Path
    spans: tuple[Span, ...]
    whole: bool
    log: str


@dataclass
class Sources:
    """Where rows come from, and statistics: from their files, or else worked out from rows."""

    rows: list[Part]
    statistics: list[Part] = field(default_factory=list)
    loose: list[Part] = field(default_factory=list)

    @property
    def games(self) -> dict[str, int]:
        """How many games there are of each cell, whether their rows are kept or not."""
        games: dict[str, int] = defaultdict(int)
        for part in [*self.statistics, *self.loose]:
            for span in part.spans:
                games[span.cell] += span.games
        return games


class _Shard(NamedTuple):
    row: Row
    folder: Path


def sources_of(datasets: Iterable[Dataset]) -> Sources:
    """Say from which file each game is taken.

    Shards that keep more of a game go before those that keep less, then the folders in their order.
    Raises `UserError` where games of which no rows are kept overlap: their statistics cannot be
    taken apart.
    """
    shards = [_Shard(row, dataset.folder) for dataset in datasets for row in dataset.rows]
    kept = sorted((s for s in shards if not s.row.bare), key=lambda s: LEVELS.index(s.row.log))
    sources = Sources(_rows(kept))
    held = _bare([s for s in shards if s.row.bare], kept, sources)
    for row, folder in kept:
        new = _missing(row, held)
        statistics = folder / row.statistics_file
        whole = set(row.spans).intersection(new)
        if whole and is_current(statistics, row.statistics):
            mine = tuple(span for span in new if span in whole)
            sources.statistics.append(Part(statistics, mine, mine == row.spans, row.log))
            new = tuple(span for span in new if span not in whole)
        if new:
            sources.loose.append(_part(row, folder / row.file, new))
    return sources


def _rows(shards: Iterable[_Shard]) -> list[Part]:
    """Say from which file each game's row is taken."""
    held: dict[int, Coverage] = defaultdict(Coverage)
    return [
        _part(row, folder / row.file, new) for row, folder in shards if (new := _missing(row, held))
    ]


def _bare(
    shards: Sequence[_Shard], kept: Iterable[_Shard], sources: Sources
) -> dict[int, Coverage]:
    """Take the statistics of games without rows; return which games these are, by seed.

    Where there are rows of all of a span they are taken in its place.
    """
    with_rows: dict[int, Coverage] = defaultdict(Coverage)
    for row, _ in kept if shards else ():
        with_rows[row.seed].add(row.spans)
    held: dict[int, Coverage] = defaultdict(Coverage)
    taken: dict[Path, set[Span]] = defaultdict(set)
    spans = [(span, shard) for shard in shards for span in shard.row.spans]
    for span, (row, folder) in sorted(spans, key=lambda pair: -pair[0].games):
        if not any(with_rows[row.seed].missing(span)):
            continue
        new = list(held[row.seed].missing(span))
        if new not in ([], [span]):
            raise UserError(
                f"{folder / row.file}: {span.games - sum(part.games for part in new):,} of its"
                f" games of cell {span.cell} are in another shard too, and no rows are kept"
                " (--log none): statistics of overlapping games cannot be added: leave one out"
            )
        held[row.seed].add(new)
        if new:
            taken[folder / row.file].add(span)
    for row, folder in shards:
        path = folder / row.file
        if path in taken:
            if not is_current(path, Seal(row.size, row.checksum) if row.checksum else None):
                raise UnreadableError(path, "it is damaged, or of another version")
            mine = tuple(span for span in row.spans if span in taken[path])
            sources.statistics.append(Part(path, mine, mine == row.spans, row.log))
    return held


def _missing(row: Row, held: dict[int, Coverage]) -> tuple[Span, ...]:
    """Return the games of a shard that are not held, which then are."""
    new = tuple(part for span in row.spans for part in held[row.seed].missing(span))
    held[row.seed].add(new)
    return new


def _part(row: Row, path: Path, spans: tuple[Span, ...]) -> Part:
    whole = sum(span.games for span in spans) == row.rows
    return Part(path, spans, whole, row.log)
