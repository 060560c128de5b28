"""A match's rounds as the byte string that is logged.

A nested column of as many fields would cost a game that logs no rounds as much to write as all
its other figures do.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.kernel.names import REASONS

if TYPE_CHECKING:
    from sim.games import Games

PACKED = np.dtype(
    [
        ("first_player", "i1"), ("score0", "<i2"), ("score1", "<i2"), ("winner", "i1"),
        ("plies", "<i4"), ("reason", "i1"), ("burnt0", "i1"), ("burnt1", "i1"),
    ]
)  # fmt: skip
"""A round in 13 bytes, without gaps: a winner of -1 is a draw, a reason a place in `REASONS`."""

ROUND = pa.struct(
    [
        ("first_player", pa.int8()), ("score0", pa.int16()), ("score1", pa.int16()),
        ("winner", pa.int8()), ("plies", pa.int32()), ("reason", pa.string()),
        ("burnt0", pa.int8()), ("burnt1", pa.int8()),
    ]
)  # fmt: skip
"""A round as it is served. `winner` is null for a draw."""


def pack_rounds(games: "Games") -> Any:
    """Return a byte string a game with its rounds, one behind the other."""
    rounds = np.empty(len(games.round_plies), PACKED)
    rounds["first_player"], rounds["winner"] = games.round_first_player, games.round_winner
    rounds["score0"], rounds["score1"] = games.round_scores.T
    rounds["plies"], rounds["reason"] = games.round_plies, games.round_reason
    rounds["burnt0"], rounds["burnt1"] = games.round_burnt.T
    offsets = (games.round_offsets * PACKED.itemsize).astype(np.int32)
    buffers: list[Any] = [None, pa.py_buffer(offsets.data), pa.py_buffer(rounds.tobytes())]
    return pa.Array.from_buffers(pa.binary(), games.count, buffers)


def rounds_of(packed_rounds: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return a column's rounds as records of `PACKED`, and the offsets of each game's, (n + 1,).

    Raises `ValueError` for bytes that are no rounds.
    """
    data, ends = bytes_of(packed_rounds)
    if (ends % PACKED.itemsize).any():
        raise ValueError("its rounds are damaged")
    rounds = data.view(PACKED)
    if ((rounds["reason"] < 0) | (rounds["reason"] >= len(REASONS))).any():
        raise ValueError("its rounds are damaged")
    return rounds, ends.astype(np.int64) // PACKED.itemsize


def unpack_rounds(packed_rounds: Any) -> Any:
    """Return a column's rounds as lists of `ROUND`; null is a list of none."""
    rounds, offsets = rounds_of(packed_rounds)
    columns = {name: pa.array(np.ascontiguousarray(rounds[name])) for name in PACKED.names or ()}
    columns["winner"] = pa.array(rounds["winner"], mask=rounds["winner"] < 0)
    columns["reason"] = pa.array(REASONS).take(columns["reason"])
    structs = pa.StructArray.from_arrays(list(columns.values()), fields=list(ROUND))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), structs)


def bytes_of(column: Any) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return the bytes of a column of byte strings, all in a row, and their offsets, (n + 1,)."""
    whole = pa.concat_arrays([column])  # a slice may begin anywhere in its buffers
    _, ends, data = whole.buffers()
    offsets = np.frombuffer(ends, np.int32, len(whole) + 1, whole.offset * 4)
    return np.frombuffer(data or b"", np.uint8)[offsets[0] : offsets[-1]], offsets - offsets[0]
