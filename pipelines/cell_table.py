"""The dataset's table of cells: `cells/cells.parquet`, one row a cell, a column a rule key."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.cells import Cell
from pipelines.files import replacing
from pipelines.places import source
from sim.agents import parse_agent
from sim.errors import UserError
from sim.rules import KEYS, Rules, Value

_NAMES = {"board.pits": "pits", "board.seeds": "seeds"}
_TYPES = {
    "board.pits": pa.int8(),
    "board.seeds": pa.int8(),
    "board.layout": pa.list_(pa.list_(pa.int16())),
    "capture.counts": pa.list_(pa.int16()),
}


def column(name: str) -> str:
    """Return the column of a rule key.

    >>> column("end.when"), column("board.pits")
    ('end_when', 'pits')
    """
    return _NAMES.get(name, name.replace(".", "_"))


def _type(name: str) -> pa.DataType:
    if name in _TYPES:
        return _TYPES[name]
    annotation = KEYS[name].annotation
    if annotation is bool:
        return pa.bool_()
    words = all(isinstance(choice, str) for choice in get_args(annotation) or [0])
    return pa.string() if words else pa.int32()


CELLS = pa.schema(
    [
        pa.field("cell", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        *(pa.field(column(name), _type(name)) for name in KEYS),
        pa.field("agent0", pa.string(), nullable=False),
        pa.field("agent1", pa.string(), nullable=False),
        pa.field("opening_plies", pa.int16(), nullable=False),
    ]
)
"""One row a cell. Null: `seeds` under an uneven layout and `board_layout` under none,
`end_win_seeds` and `end_repetition` for `none`. `majority` and a refill that is not given are
worked out. Tables of datasets that are older than `opening_plies` lack it: there it is 0."""


def write_cells(folder: Path, cells: Iterable[Cell]) -> None:
    """Write a dataset's table of cells, sorted by id, in place of the one there may be."""
    rows = [cell_row(cell) for cell in sorted(cells, key=lambda cell: cell.id)]
    path = folder / "cells" / "cells.parquet"
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as temporary:
        pq.write_table(pa.Table.from_pylist(rows, CELLS), temporary, compression="zstd")


def read_cells(folder: Path) -> dict[str, Cell]:
    """Read a dataset's cells by id. Raises `UserError` where the table cannot be read."""
    path = folder / "cells" / "cells.parquet"
    try:
        rows = pq.read_table(source(path)).to_pylist()
        return {row["cell"]: cell_of(row) for row in rows}
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file; the plan's next run writes it") from None
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{path}: cannot be read ({str(error).partition(chr(10))[0]}): delete it, then the"
            " plan's next run writes it"
        ) from None


def cell_row(cell: Cell) -> dict[str, Any]:
    """Return a cell as a row of `CELLS`."""
    rules = cell.rules
    meaning = rules.meaning()
    keys = rules.flat() | {"end.win_seeds": rules.win_seeds, "match.refill": rules.refill or None}
    keys |= {name: meaning.get(name) for name in ("board.seeds", "board.layout")}
    keys["end.repetition"] = _none(keys["end.repetition"])
    columns = {column(name): value for name, value in keys.items()}
    return {
        "cell": cell.id, "variant": cell.variant, **columns,
        "agent0": cell.agents[0].text, "agent1": cell.agents[1].text,
        "opening_plies": cell.opening_plies,
    }  # fmt: skip


def cell_of(row: dict[str, Any]) -> Cell:
    """Undo `cell_row`."""
    keys: dict[str, Value] = {name: row[column(name)] for name in KEYS}
    rules = Rules.of({k: v for k, v in keys.items() if v is not None}, f"cell {row['cell']}")
    agents = parse_agent(row["agent0"]), parse_agent(row["agent1"])
    opening = row.get("opening_plies") or 0
    return Cell(row["cell"], row["variant"], tuple(rules.flat().values()), agents, opening)


def _none(value: Value) -> Value:
    return None if value == "none" else value
