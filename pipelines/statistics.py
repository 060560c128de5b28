"""The files of statistics: `stats/SHARD.parquet`, one row a span of the shard."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.files import checksum_of, replacing
from pipelines.manifest import FOOTER, Row, Seal, row_of, seal_of
from pipelines.measures import STATISTICS, ShardTally, SpanTally
from pipelines.places import source
from pipelines.reading import UnreadableError, read_pieces
from pipelines.schema import games_of_rows
from pipelines.shards import Shard, Span

PARQUET: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 3,
    "use_dictionary": ["cell", "seed"],
    "write_statistics": ["cell", "seed", "first", "games"],
}


def write_bare_shard(shard: Shard, folder: Path, table: pa.Table) -> Row:
    """Write a shard of which no row is kept; its file of statistics commits it. Return its row."""
    row = row_of(shard, plies_of(table))
    size, digest = _write(row, folder, table)
    return replace(row, size=size, checksum=digest)


def write_statistics(row: Row, folder: Path, table: pa.Table) -> Row:
    """Write the statistics beside a shard whose rows are in place; return its row with them."""
    return replace(row, statistics=_write(row, folder, table))


def derive_statistics(row: Row, folder: Path) -> Row:
    """Make a shard's statistics from its rows; return its row with them."""
    return write_statistics(row, folder, statistics_of_rows(row, folder))


def statistics_of_rows(row: Row, folder: Path) -> pa.Table:
    """Work out a shard's statistics from its rows. Raises `UnreadableError` if it is damaged."""
    tally = RowTally(row.shard)
    for _, rows in read_pieces(folder / row.file):
        tally.add(rows)
    return tally.table()


class RowTally:
    """The statistics of a shard from its rows, which come in the order of its spans."""

    def __init__(self, shard: Shard) -> None:
        self._tally = ShardTally(shard.seed)
        self._spans = iter(shard.spans)
        self._span: SpanTally | None = None

    def add(self, rows: pa.RecordBatch) -> None:
        """Take the next rows, all of one cell. Those beyond the last span do not count."""
        logged = not rows.column("packed_rounds").null_count
        while rows.num_rows:
            if self._span is None or self._span.games == self._span.span.games:
                if (span := next(self._spans, None)) is None:
                    return
                self._span = self._tally.begin(span)
            mine = rows.slice(0, self._span.span.games - self._span.games)
            self._span.add(games_of_rows(mine), logged=logged)
            rows = rows.slice(mine.num_rows)

    def table(self) -> pa.Table:
        """Return the statistics, a row a span."""
        return self._tally.table()


def plies_of(table: pa.Table) -> int:
    """Return how many moves were played in the games of a table of statistics."""
    return int(np.sum(table["plies"].to_numpy()))


def spans_of(table: pa.Table) -> tuple[Span, ...]:
    """Return the spans whose statistics a table holds, in its order."""
    rows = table.select(["cell", "first", "games"]).to_pylist()
    return tuple(Span(row["cell"], row["first"], row["games"]) for row in rows)


def read_statistics(path: Path, columns: list[str] | None = None) -> pa.Table:
    """Read a file of statistics, or some of its columns.

    Raises `UnreadableError` where it is damaged or none.
    """
    try:
        with pq.ParquetFile(source(path)) as file:
            if not file.schema_arrow.equals(STATISTICS):
                raise ValueError("its columns are not those of statistics")
            table = file.read(columns).unify_dictionaries()
            table.validate(full=True)
            return table
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UnreadableError(path, str(error).partition("\n")[0]) from None


def statistics_at_hand(row: Row, folder: Path, columns: list[str]) -> pa.Table:
    """Return some columns of a shard's statistics, worked out from its rows where these are older.

    Nothing is written. Raises `UnreadableError` where the shard is damaged.
    """
    path = folder / row.statistics_file
    if row.bare or is_current(path, row.statistics):
        return read_statistics(path, columns)
    return statistics_of_rows(row, folder).select(columns)


def is_current(path: Path, seal: Seal | None) -> bool:
    """Whether a file of statistics is there, is as it was sealed, and has today's measures.

    `seal` is None where the manifest does not list the file yet.
    """
    try:
        data = path.read_bytes()  # at once: a remote file takes a request each time
        if seal is not None and Seal(len(data), checksum_of(data)) != seal:
            return False
        return bool(pq.read_schema(pa.BufferReader(data)).equals(STATISTICS))
    except (pa.ArrowException, OSError):
        return False


def _write(row: Row, folder: Path, table: pa.Table) -> Seal:
    path = folder / row.statistics_file
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as temporary:
        with pq.ParquetWriter(temporary, STATISTICS, **PARQUET) as file:
            file.write_table(table.combine_chunks(), row_group_size=1 << 12)
            file.add_key_value_metadata({FOOTER: row.footer})
        return seal_of(temporary)
