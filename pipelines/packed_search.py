"""What players noted of each choice, as the byte strings that are logged beside the moves.

Only files of runs with `--log-search` have these columns, so that others are as they were.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipelines.packed_rounds import bytes_of

if TYPE_CHECKING:
    from sim.games import Games

WORTH, NODES = np.dtype("<f4"), np.dtype("<i8")
"""An entry a move: a worth of NaN is not known, and of no nodes nothing was looked at. The zeros
of numbers that could be shorter compress well."""

COLUMNS = [pa.field("packed_worth", pa.binary()), pa.field("packed_nodes", pa.binary())]


def pack_search(games: "Games") -> list[Any]:
    """Return the two columns, a byte string a game in each."""
    worth, nodes = games.worth, games.nodes
    if len(worth) < len(games.moves):  # played by who notes nothing
        worth = np.full(len(games.moves), np.nan, WORTH)
        nodes = np.zeros(len(games.moves), NODES)
    return [_strings(worth.astype(WORTH), games), _strings(nodes.astype(NODES), games)]


def unpack_worth(packed_worth: Any) -> Any:
    """Return a column as lists of what each choice was thought to be worth, null if not known."""
    worth, offsets = _numbers(packed_worth, WORTH)
    return pa.ListArray.from_arrays(offsets, pa.array(worth, mask=np.isnan(worth)))


def unpack_nodes(packed_nodes: Any) -> Any:
    """Return a column as lists of how much was looked at for each choice, null for nothing."""
    nodes, offsets = _numbers(packed_nodes, NODES)
    return pa.ListArray.from_arrays(offsets, pa.array(nodes, mask=nodes == 0))


def fits(rows: Any, plies: NDArray[Any]) -> NDArray[np.bool_]:
    """Say of which rows both byte strings have an entry for each move."""
    good = np.ones(len(plies), np.bool_)
    for name, size in (("packed_worth", WORTH.itemsize), ("packed_nodes", NODES.itemsize)):
        column = rows.column(name)
        lengths = np.diff(bytes_of(column)[1])
        good &= (lengths == plies * size) & ~column.is_null().to_numpy(zero_copy_only=False)
    return good


def _strings(values: NDArray[Any], games: "Games") -> Any:
    offsets = (games.move_offsets * values.itemsize).astype(np.int32)
    buffers: list[Any] = [None, pa.py_buffer(offsets.data), pa.py_buffer(values.tobytes())]
    return pa.Array.from_buffers(pa.binary(), games.count, buffers)


def _numbers(column: Any, kind: np.dtype[Any]) -> tuple[NDArray[Any], Any]:
    data, ends = bytes_of(column)
    if (ends % kind.itemsize).any():
        raise ValueError("what its players noted is damaged")
    return data.view(kind), pa.array(ends // kind.itemsize, pa.int32())
