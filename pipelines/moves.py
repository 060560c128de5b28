"""What is logged as DuckDB functions: unpacked, and replayed by the kernel for the view `moves`."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from duckdb.func import ARROW

from pipelines.cell_table import column
from pipelines.packed_rounds import ROUND, unpack_rounds
from pipelines.packed_search import unpack_nodes, unpack_worth
from pipelines.places import source
from pipelines.schema import moves_of
from pipelines.sql_types import sql_type
from sim.errors import UserError
from sim.rules import KEYS, Rules

if TYPE_CHECKING:
    from sim.games import MoveLog

MOVE = pa.struct(
    [
        ("round", pa.int32()), ("ply", pa.int32()), ("turn", pa.int32()), ("player", pa.int8()),
        ("pit", pa.int8()), ("lifted", pa.int16()), ("laps", pa.int32()),
        ("captured", pa.int16()), ("gained", pa.int16()), ("extra_turn", pa.bool_()),
        ("legal_moves", pa.int8()), ("store0", pa.int16()), ("store1", pa.int16()),
    ]
)  # fmt: skip
"""What the function returns for each move of a game, and the `moves` view serves."""


def register(connection: duckdb.DuckDBPyConnection, cell_files: Sequence[Path]) -> None:
    """Add functions to a connection.

    They are `unpack_moves(packed_moves)`, a list of pits, `unpack_rounds(packed_rounds)`, a list of
    `ROUND`, `unpack_worth(packed_worth)` and `unpack_nodes(packed_nodes)`, a list of what a player
    noted of each move, and `replay_moves(cell, packed_moves)`, a list of `MOVE`.

    `cell_files` hold the cells' rules. The kernel loads when a function is first evaluated.
    """
    connection.create_function(
        "unpack_moves", _unpacked, ["BLOB"], sql_type(pa.list_(pa.uint8())), type=ARROW
    )
    connection.create_function(
        "unpack_rounds", _readable(unpack_rounds), ["BLOB"], sql_type(pa.list_(ROUND)), type=ARROW
    )
    for name, unpack, kind in (
        ("unpack_worth", unpack_worth, pa.float32()),
        ("unpack_nodes", unpack_nodes, pa.int64()),
    ):
        connection.create_function(
            name, _readable(unpack), ["BLOB"], sql_type(pa.list_(kind)), type=ARROW
        )
    connection.create_function(
        "replay_moves",
        _Replayer(cell_files),
        ["VARCHAR", "BLOB"],
        sql_type(pa.list_(MOVE)),
        type=ARROW,
    )


class _Replayer:
    """Replays batches of games; DuckDB calls it from its threads, a batch each.

    Nothing is shared but the rules, and the kernel leaves Python's lock while it replays.
    """

    def __init__(self, cell_files: Sequence[Path]) -> None:
        self._files = cell_files
        self.rules = lru_cache(maxsize=1024)(self._read_rules)
        self.rows = lru_cache(maxsize=1)(self._read_rows)

    def __call__(self, cells: Any, packed_moves: Any) -> Any:
        names, packed = _one_chunk(cells), _one_chunk(packed_moves)
        parts = [
            self._replay(names[first].as_py(), packed.slice(first, stop - first))
            for first, stop in _runs(names)
        ]
        # No part where no game of a batch has its moves logged.
        return pa.concat_arrays(parts or [pa.nulls(0, pa.list_(MOVE))])

    def _replay(self, cell: str, packed_moves: Any) -> "pa.Array[Any]":
        from sim.games import replay

        moves, offsets = moves_of(packed_moves)
        games, log, bad = replay(self.rules(cell), moves, offsets)
        if (bad >= 0).any() or (games.reason < 0).any():
            raise UserError(
                f"cell {cell} holds games that its rules do not allow: `mancalab verify` names them"
            )
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), _rows(log))

    def _read_rules(self, cell: str) -> Rules:
        table, places = self.rows()
        [row] = table.slice(places[cell], 1).to_pylist()
        keys = {name: row[column(name)] for name in KEYS if row[column(name)] is not None}
        return Rules.of(keys, f"cell {cell}")

    def _read_rows(self) -> tuple[pa.Table, dict[str, int]]:
        tables = [pq.read_table(source(path)) for path in self._files]
        table = pa.concat_tables(tables, promote_options="default")
        return table, {str(cell): place for place, cell in enumerate(table["cell"].to_pylist())}


def _unpacked(packed_moves: Any) -> Any:
    moves, offsets = moves_of(_one_chunk(packed_moves))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(moves))


def _readable(unpack: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Have what is damaged named as such."""

    def unpacked(packed: Any) -> Any:
        try:
            return unpack(_one_chunk(packed))
        except ValueError as error:
            raise UserError(
                f"a game cannot be read, {error}: `mancalab verify` says which"
            ) from None

    return unpacked


def _one_chunk(values: Any) -> Any:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def _runs(cells: Any) -> Iterator[tuple[int, int]]:
    """Yield (first, stop) of each run of one cell: rows come sorted, so there are few."""
    names = cells.to_numpy(zero_copy_only=False)
    changes = (names[1:] != names[:-1]).nonzero()[0] + 1
    ends = [*changes.tolist(), len(names)]
    if len(names):
        yield from zip([0, *ends[:-1]], ends, strict=True)


def _rows(log: "MoveLog") -> pa.StructArray:
    columns = [pa.array(getattr(log, field.name), field.type) for field in MOVE]
    return pa.StructArray.from_arrays(columns, fields=list(MOVE))
