"""Moves as nibbles: two to a byte, the earlier one above, and 15 below a last odd one."""

from typing import Any

from sim.kernel.jit import jit

FILLER = 15


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


@jit
def unpack(packed: Any, packed_offsets: Any, moves: Any, offsets: Any) -> None:
    """Undo `pack`; `moves` has two places for each byte."""
    to = 0
    offsets[0] = 0
    for game in range(len(packed_offsets) - 1):
        for i in range(packed_offsets[game], packed_offsets[game + 1]):
            moves[to], moves[to + 1] = packed[i] >> 4, packed[i] & 15
            to += 2
        if to > offsets[game] and moves[to - 1] == FILLER:
            to -= 1
        offsets[game + 1] = to
