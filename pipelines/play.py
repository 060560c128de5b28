"""Plays a shard: from its spans of games to its file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from pipelines.cell_games import CellGames, warm_cells
from pipelines.cells import Cell
from pipelines.executors import Heed, Tick
from pipelines.logs import WITH_MOVES
from pipelines.manifest import Row
from pipelines.measures import ShardTally
from pipelines.schema import game_rows
from pipelines.shards import Shard
from pipelines.statistics import write_bare_shard, write_statistics
from pipelines.writer import write_shard
from sim.games import Games

LEAST_GAMES, CHUNK_GAMES, CHUNK_SECONDS = 64, 1 << 16, 0.1
"""A chunk takes about so long, so that progress is seen and an interruption heeded. Where games
are slow it takes longer: players that search do so in several games at once, and are heeded
between moves."""


@dataclass(frozen=True)
class Job:
    """A shard to play, and the cells of its games, no others: jobs travel."""

    shard: Shard
    cells: tuple[Cell, ...]


def jobs_of(shards: Iterable[Shard], cells: Iterable[Cell]) -> Iterator[Job]:
    """Yield the jobs of shards whose cells are among those."""
    known = {cell.id: cell for cell in cells}
    for shard in shards:
        idents = dict.fromkeys(span.cell for span in shard.spans)
        yield Job(shard, tuple(known[ident] for ident in idents))


@dataclass(frozen=True)
class PlayShards:
    """Plays shards into a dataset's folder, in this process or in another one that sees it."""

    folder: Path

    def __call__(self, job: Job, tick: Tick, heed: Heed) -> Row:
        """Play a shard and write it and its statistics; return its row.

        `tick` is told the games of every chunk, `heed` is called more often where games are slow.
        The shard is in place when this returns; no part of it counts when this raises before its
        rows are in place, or its statistics where no row is kept.
        """
        # Elsewhere the processes of a machine would else compile side by side.
        warm_cells(job.cells, lambda _: None, packing=job.shard.log in WITH_MOVES)
        shard, tally = job.shard, ShardTally(job.shard.seed)
        batches = _played(job, tally, tick, heed)
        if shard.log == "none":
            for _ in batches:
                pass
            return write_bare_shard(shard, self.folder, tally.table())
        rows = (
            game_rows(games, cell.id, shard.seed, log=shard.log, rounds=logged)
            for games, cell, logged in batches
        )
        row = write_shard(shard, self.folder, rows)
        return write_statistics(row, self.folder, tally.table())


def _played(
    job: Job, tally: ShardTally, tick: Tick, heed: Heed
) -> Iterator[tuple[Games, Cell, bool]]:
    """Yield a shard's games, their cell and whether they log rounds; tally them as they come."""
    cells = {cell.id: cell for cell in job.cells}
    chunk = 256
    for span in job.shard.spans:
        cell, mine = cells[span.cell], tally.begin(span)
        played = CellGames(cell, job.shard.seed)
        logged = played.logs_rounds
        first = span.first
        while first < span.stop:
            start = perf_counter()
            games = played.play(first, min(chunk, span.stop - first), heed)
            # Neither the games nor the file depend on the chunks, so these may follow the clock.
            chunk = _next_chunk(chunk, perf_counter() - start)
            first += games.count
            mine.add(games, logged=logged)
            yield games, cell, logged
            tick(games.count)


def _next_chunk(chunk: int, seconds: float) -> int:
    if seconds < CHUNK_SECONDS / 2:
        return min(chunk * 2, CHUNK_GAMES)
    return max(chunk // 2, LEAST_GAMES) if seconds > CHUNK_SECONDS else chunk
