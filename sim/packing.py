"""A game's moves as the byte string that is logged: in hexadecimal it reads as the pits."""

import numpy as np
from numpy.typing import NDArray

from sim.kernel.names import FILLER

Moves = NDArray[np.uint8]
Offsets = NDArray[np.int64]


def pack(moves: Moves, offsets: Offsets) -> tuple[Moves, NDArray[np.int32]]:
    """Pack games' moves, two pits to a byte, the earlier one above; a last odd one has an F below.

    `moves[offsets[i]:offsets[i + 1]]` are game i's pits. Returns bytes and their offsets.

    >>> packed, offsets = pack(np.array([2, 11, 0, 5], np.uint8), np.array([0, 3, 4]))
    >>> packed.tobytes().hex(), offsets.tolist()
    ('2b0f5f', [0, 2, 3])
    """
    from sim.kernel import packing as kernel  # it loads the compiler: not to unpack

    packed = np.empty((len(moves) + len(offsets)) // 2 + 1, np.uint8)
    packed_offsets = np.empty(len(offsets), np.int32)
    kernel.pack(moves, offsets, packed, packed_offsets)
    return packed[: packed_offsets[-1]], packed_offsets


def unpack(packed: Moves, offsets: NDArray[np.int32]) -> tuple[Moves, Offsets]:
    """Undo `pack`. Whatever the bytes are, a game has two moves a byte, or one less.

    >>> packed = np.frombuffer(bytes.fromhex("2b0f5f"), np.uint8)
    >>> moves, offsets = unpack(packed, np.array([0, 2, 3], np.int32))
    >>> moves.tolist(), offsets.tolist()
    ([2, 11, 0, 5], [0, 3, 4])
    """
    nibbles = np.stack([packed >> 4, packed & FILLER], axis=1).reshape(-1)
    ends = 2 * offsets.astype(np.int64)
    last = ends[1:] - 1
    filled = (ends[1:] > ends[:-1]) & (nibbles[last] == FILLER) if len(nibbles) else ends[1:] < 0
    ends[1:] -= np.cumsum(filled)
    return np.delete(nibbles, last[filled]), ends
