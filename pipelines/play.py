"""Plays a shard: from its spans of games to its file."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import perf_counter

import pyarrow as pa

from pipelines.cells import Cell
from pipelines.manifest import Row
from pipelines.schema import game_rows
from pipelines.shards import Shard
from pipelines.writer import write_shard
from sim.games import game_key, play

CHUNK_GAMES, CHUNK_SECONDS = 1 << 16, 0.1
"""A chunk takes about so long, so that progress is seen and an interruption heeded."""

Tick = Callable[[int], None]
"""Told of every chunk how many games it held; it raises to stop the shard."""


def play_shard(shard: Shard, cells: Mapping[str, Cell], folder: Path, tick: Tick) -> Row:
    """Play a shard and write it into a dataset's folder; return its row.

    The file is in place when this returns; no part of it is when this raises.
    """
    return write_shard(shard, folder, _rows(shard, cells, tick))


def _rows(shard: Shard, cells: Mapping[str, Cell], tick: Tick) -> Iterator[pa.RecordBatch]:
    chunk = 256
    for span in shard.spans:
        cell = cells[span.cell]
        rules, key = cell.rules, game_key(shard.seed, cell.id)
        listed = not rules.plain_round
        first = span.first
        while first < span.stop:
            start = perf_counter()
            games = play(rules, cell.agents, key, first, min(chunk, span.stop - first))
            # Neither the games nor the file depend on the chunks, so these may follow the clock.
            chunk = _next_chunk(chunk, perf_counter() - start)
            first += games.count
            yield game_rows(games, cell.id, shard.seed, moves=shard.log == "moves", rounds=listed)
            tick(games.count)


def _next_chunk(chunk: int, seconds: float) -> int:
    if seconds < CHUNK_SECONDS / 2:
        return min(chunk * 2, CHUNK_GAMES)
    return max(chunk // 2, 1) if seconds > CHUNK_SECONDS else chunk
