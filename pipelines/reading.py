"""Reads the rows of shards piece by piece, so that memory stays bounded."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipelines.packed_rounds import rounds_of
from pipelines.places import is_remote, source
from pipelines.plan import MAX_GAMES
from pipelines.schema import GAMES, SEARCHED, moves_of
from pipelines.shards import Span
from sim.errors import UserError

PIECE_MOVES = 1 << 20


class UnreadableError(UserError):
    """A shard cannot be read; `reason` says why, without the file's name."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: cannot be read ({reason}): `mancalab verify` says what is wrong")
        self.reason = reason


def read_pieces(path: Path, moves: int = PIECE_MOVES) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Yield a shard's rows, in their order, as pieces of one cell each with the cell's id.

    A piece has games whose numbers follow one another, as those of a span, and at most `moves`
    moves, unless a single game has more. Raises `UnreadableError` where the file is damaged, or
    has not the schema of a dataset's games.
    """
    with _opened(path) as file:
        groups = file.num_row_groups
    for number in range(groups):
        yield from _pieces(read_group(path, number), moves)


def read_group(path: Path, number: int) -> pa.RecordBatch:
    """Read a row group of a shard. Raises as `read_pieces` does."""
    with _opened(path) as file:
        if not any(map(file.schema_arrow.equals, (GAMES, SEARCHED))):
            raise ValueError("its columns are not those of a dataset's games")
        table = file.read_row_group(number).unify_dictionaries().combine_chunks()
        table.validate(full=True)  # what is damaged may decode to what Arrow cannot handle
        [rows] = table.to_batches()
        rounds_of(rows.column("packed_rounds"))  # nor does Arrow know of what lies in these
        return rows


def group_bounds(path: Path) -> list[tuple[tuple[str, int], tuple[str, int]]]:
    """Return bounds of (cell, game) for each row group of a shard, in order.

    Raises as `read_pieces` does.
    """
    bounds = []
    with _opened(path) as file:
        for number in range(file.num_row_groups):
            group: Any = file.metadata.row_group(number)
            cells = group.column(GAMES.get_field_index("cell")).statistics
            games = group.column(GAMES.get_field_index("game")).statistics
            if cells is None or games is None:
                raise ValueError("its row groups do not say which games they hold")
            # Rows are sorted by cell first, so that a game's number bounds only single cells.
            one = cells.min == cells.max
            span = (games.min, games.max) if one else (0, MAX_GAMES)
            bounds.append(((cells.min, span[0]), (cells.max, span[1])))
    return bounds


def games_of(rows: pa.RecordBatch, span: Span) -> pa.RecordBatch:
    """Return those of sorted rows that are games of a span, without copying."""
    cells: Any = rows.column("cell")
    games = rows.column("game").to_numpy()
    known = cells.dictionary.to_pylist()
    index = known.index(span.cell) if span.cell in known else -1
    wanted = (cells.indices.to_numpy() == index) & (games >= span.first) & (games < span.stop)
    at = np.flatnonzero(wanted)
    return rows.slice(int(at[0]), len(at)) if len(at) else rows.slice(0, 0)


def move_arrays(rows: pa.RecordBatch) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the moves of rows, all in a row, and the offsets of each game's, shape (rows + 1,)."""
    return moves_of(rows.column("packed_moves"))


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a shard; whatever reading it raises becomes `UnreadableError`."""
    try:
        with pq.ParquetFile(source(path), pre_buffer=is_remote(path)) as file:
            yield file
    except (pa.ArrowException, OSError, ValueError, IndexError) as error:
        raise UnreadableError(path, str(error).partition("\n")[0]) from None


def _pieces(rows: pa.RecordBatch, moves: int) -> Iterator[tuple[str, pa.RecordBatch]]:
    cells: Any = rows.column("cell")
    index = cells.indices.to_numpy()
    games = rows.column("game").to_numpy()
    changes = np.flatnonzero((index[1:] != index[:-1]) | (games[1:] != games[:-1] + 1)) + 1
    for part in np.split(np.arange(rows.num_rows), changes):
        cell = cells.dictionary[int(index[part[0]])].as_py()
        ends = np.cumsum(rows.column("plies").to_numpy()[part], dtype=np.int64)
        first = 0
        while first < len(part):
            before = int(ends[first - 1]) if first else 0
            stop = max(int(np.searchsorted(ends, before + moves, side="right")), first + 1)
            yield cell, rows.slice(int(part[first]), stop - first)
            first = stop
