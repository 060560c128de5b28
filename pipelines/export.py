"""Exports the moves of a dataset as a wide table: plain Parquet, a row a move."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.cell_table import read_cells
from pipelines.cells import Cell
from pipelines.dataset import Dataset, open_dataset
from pipelines.executors import Executor, Heed, Tick
from pipelines.files import is_leftover, replacing
from pipelines.holding import holding
from pipelines.logs import SEARCH, WITH_MOVES
from pipelines.manifest import Row
from pipelines.messages import tell
from pipelines.packed_search import unpack_nodes, unpack_worth
from pipelines.progress import Meter
from pipelines.reading import move_arrays, read_pieces
from sim.errors import UserError
from sim.games import MoveLog, replay
from sim.warming import warm_replay

MOVES = pa.schema(
    [
        pa.field("cell", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("game", pa.int64(), nullable=False),
        pa.field("seed", pa.int64(), nullable=False),
        pa.field("round", pa.int32(), nullable=False),
        pa.field("ply", pa.int32(), nullable=False),
        pa.field("turn", pa.int32(), nullable=False),
        pa.field("player", pa.int8(), nullable=False),
        pa.field("pit", pa.int8(), nullable=False),
        pa.field("lifted", pa.int16(), nullable=False),
        pa.field("laps", pa.int32(), nullable=False),
        pa.field("captured", pa.int16(), nullable=False),
        pa.field("gained", pa.int16(), nullable=False),
        pa.field("extra_turn", pa.bool_(), nullable=False),
        pa.field("legal_moves", pa.int8(), nullable=False),
        pa.field("store0", pa.int16(), nullable=False),
        pa.field("store1", pa.int16(), nullable=False),
    ]
)
"""One row a move, sorted by cell, game and ply: the columns of the `moves` view, and the seed."""

SEARCHED = pa.schema(
    [*MOVES, pa.field("search_worth", pa.float32()), pa.field("search_nodes", pa.int64())]
)
"""The same, and what players noted, of a dataset that logs searches."""

PARQUET: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 1,
    "use_dictionary": [name for name in MOVES.names if name not in ("game", "extra_turn")],
    "column_encoding": {"game": "DELTA_BINARY_PACKED"},
    "write_statistics": ["cell", "game", "seed", "round"],
    "write_batch_size": 1 << 14,
}
GROUP_MOVES = 1 << 18


class Exported(NamedTuple):
    """How many moves an export holds, the files that it lacked, the games that have no moves."""

    moves: int
    files: int
    bare: int


def export_moves(folder: Path, out: Path, executor: Executor) -> Exported:
    """Write a dataset's moves to `out/moves/*.parquet`, one file a shard.

    An export that was interrupted, or whose dataset has grown, is completed. Raises `UserError`
    where there is no dataset, it is damaged, it logs no moves, or `out` holds other things.
    """
    dataset = open_dataset(folder)
    rows = [row for row in dataset.rows if row.log in WITH_MOVES]
    if not rows:
        raise UserError(
            f"{folder}: logs no moves, so none can be exported: run with --log moves into another"
            " folder"
        )
    _check_target(out, rows)
    cells = read_cells(folder)
    with holding(out):
        _check_target(out, rows)
        (out / "moves").mkdir(exist_ok=True)
        for left in filter(is_leftover, (out / "moves").iterdir()):
            left.unlink()
        missing = [row for row in rows if not (out / "moves" / Path(row.file).name).exists()]
        if missing:
            _export(missing, dataset, cells, out, executor)
    moved = sum(row.rows for row in rows)
    return Exported(sum(row.moves for row in rows), len(missing), dataset.games - moved)


def _check_target(out: Path, rows: list[Row]) -> None:
    """Refuse a folder that holds anything but an export of these shards."""
    if not out.exists():
        return
    if not out.is_dir():
        raise UserError(f"{out}: a file, not a folder: choose another --out")
    ours = {Path(row.file).name for row in rows}
    inside = [path for path in out.iterdir() if path.name != "moves" or not path.is_dir()]
    moves = (out / "moves").iterdir() if (out / "moves").is_dir() else []
    others = [path for path in [*inside, *moves] if not is_leftover(path) and path.name not in ours]
    if others:
        raise UserError(
            f"{out}: holds '{others[0].name}', which is none of this export: choose another --out"
        )


def _export(
    rows: list[Row], dataset: Dataset, cells: Mapping[str, Cell], out: Path, executor: Executor
) -> None:
    schema = SEARCHED if dataset.logged(SEARCH) else MOVES
    warm_replay((cell.rules for cell in cells.values()), tell)
    with Meter(sum(row.moves for row in rows), "moves") as meter:

        def work(row: Row, tick: Tick, heed: Heed) -> None:
            path = dataset.folder / row.file
            with (
                replacing(out / "moves" / path.name) as temporary,
                _Writer(temporary, schema) as writer,
            ):
                for ident, games in read_pieces(path, GROUP_MOVES):
                    heed()
                    if ident not in cells:
                        raise UserError(
                            f"{path}: has games of cell {ident}, which the dataset's table of cells"
                            " lacks: `mancalab verify` says what is wrong"
                        )
                    wide = move_rows(games, cells[ident])
                    writer.add(wide)
                    tick(wide.num_rows)

        with closing(executor.run(rows, work, meter.add)) as done:
            for _ in done:
                pass


def move_rows(games: pa.RecordBatch, cell: Cell) -> pa.RecordBatch:
    """Return the moves of logged games of one cell as rows of `MOVES`, or of `SEARCHED`."""
    moves, offsets = move_arrays(games)
    replayed, log, bad = replay(cell.rules, moves, offsets)
    numbers = games.column("game").to_numpy()
    wrong = (bad >= 0) | (replayed.reason < 0)
    if wrong.any():
        raise UserError(
            f"game {numbers[wrong][0]} of cell {cell.id} has moves that its rules do not allow: the"
            " dataset is damaged; see `mancalab verify`"
        )
    plies = np.diff(offsets)
    ident = pa.DictionaryArray.from_arrays(np.zeros(len(moves), np.int32), [cell.id])
    columns = {
        "cell": ident,
        "game": np.repeat(numbers, plies),
        "seed": np.repeat(games.column("seed").to_numpy(), plies),
        **{field.name: getattr(log, field.name) for field in fields(MoveLog)},
    }
    arrays = [pa.array(columns[name], MOVES.field(name).type) for name in MOVES.names]
    if "packed_worth" not in games.schema.names:
        return pa.RecordBatch.from_arrays(arrays, schema=MOVES)
    noted = [
        unpack(games.column(name)).flatten()
        for name, unpack in (("packed_worth", unpack_worth), ("packed_nodes", unpack_nodes))
    ]
    # Games of a merged dataset that were played without have none.
    noted = [part if len(part) else pa.nulls(len(moves), part.type) for part in noted]
    return pa.RecordBatch.from_arrays([*arrays, *noted], schema=SEARCHED)


class _Writer:
    """Writes rows in groups of about `GROUP_MOVES`, though a small cell brings fewer."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._file = pq.ParquetWriter(path, schema, **PARQUET)
        self._waiting: list[pa.RecordBatch] = []

    def __enter__(self) -> "_Writer":
        return self

    def __exit__(self, *_: object) -> None:
        self._flush()
        self._file.close()

    def add(self, rows: pa.RecordBatch) -> None:
        self._waiting.append(rows)
        if sum(batch.num_rows for batch in self._waiting) >= GROUP_MOVES:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            table = pa.Table.from_batches(self._waiting)
            self._file.write_table(table.unify_dictionaries().combine_chunks())
            self._waiting = []
