"""Moves as nibbles: two to a byte, the earlier one above, and 15 below a last odd one."""

from typing import Any

from sim.kernel.jit import jit
from sim.kernel.names import FILLER


@jit
def pack(moves: Any, offsets: Any, packed: Any, packed_offsets: Any) -> None:
    """Pack the moves of games one by one, each from a byte of its own on."""
    to = 0
    packed_offsets[0] = 0
    for game in range(len(offsets) - 1):
        start, end = offsets[game], offsets[game + 1]
        for i in range(start, end - 1, 2):
            packed[to] = moves[i] << 4 | moves[i + 1]
            to += 1
        if (end - start) % 2:
            packed[to] = moves[end - 1] << 4 | FILLER
            to += 1
        packed_offsets[game + 1] = to
