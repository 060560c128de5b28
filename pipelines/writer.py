"""Writes a shard's rows to its file, which appears whole or not at all."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.files import replacing
from pipelines.manifest import FOOTER, Row, row_of, sealed
from pipelines.schema import PARQUET, schema_of
from pipelines.shards import Shard

GROUP_GAMES, GROUP_MOVES = 1 << 15, 1 << 21
"""Bounds of a row group, and so of what a writer holds in memory. Larger ones are no faster to
query, and a large run would take more memory than a small one."""


def write_shard(
    shard: Shard,
    folder: Path,
    batches: Iterable[pa.RecordBatch],
    schema: pa.Schema | None = None,
) -> Row:
    """Write a shard's rows, in its order, to its file in a dataset's folder; return its row.

    Its `schema` is that of rows that are logged so, if the dataset's is not another.
    The same shard is the same file, byte for byte, from the same versions of the libraries,
    however its rows are cut into batches. On an error no file is left.
    """
    with replacing(folder / shard.file) as temporary:
        with pq.ParquetWriter(temporary, schema or schema_of(shard.log), **PARQUET) as file:
            groups = _RowGroups(file)
            for rows in batches:
                groups.add(rows)
            groups.flush()
            row = row_of(shard, groups.moves)
            file.add_key_value_metadata({FOOTER: row.footer})
        return sealed(row, temporary)


class _RowGroups:
    """Gathers rows into row groups, whose ends depend on the rows alone."""

    def __init__(self, file: pq.ParquetWriter) -> None:
        self._file = file
        self._waiting: list[pa.RecordBatch] = []
        self._games = self._moves = 0
        self.moves = 0

    def add(self, rows: pa.RecordBatch) -> None:
        ends = np.cumsum(rows.column("plies").to_numpy(), dtype=np.int64)
        first = 0
        while first < rows.num_rows:
            before = int(ends[first - 1]) if first else 0
            fitting = np.searchsorted(ends, before + GROUP_MOVES - self._moves, side="right")
            count = min(int(fitting) - first, GROUP_GAMES - self._games)
            if count <= 0 and self._waiting:
                self.flush()
                continue
            count = max(count, 1)  # a game that is longer than a row group has one to itself
            self._waiting.append(rows.slice(first, count))
            first += count
            self._games += count
            self._moves += int(ends[first - 1]) - before
        self.moves += int(ends[-1]) if rows.num_rows else 0

    def flush(self) -> None:
        if self._waiting:
            # In one piece, so that pages too end where the rows alone say.
            table = pa.Table.from_batches(self._waiting).unify_dictionaries()
            self._file.write_table(table.combine_chunks(), row_group_size=GROUP_GAMES)
        self._waiting, self._games, self._moves = [], 0, 0
