"""A row of pits and its store as a value: one 64-bit word up to 7 pits, two words up to 12.

A cell is a byte. A row of up to 7 pits is a `uint64` whose byte i is pit i and whose byte 7 is
the store; a wider row is a pair of them, pits 0-7 in the first word, the rest and the store
(byte 7) in the second. The board of the player to move is `(me, opp)`. A cell of that board is
numbered 0-11 in the own row, 15 for the own store, and 16 more on the other side.

Each operation below is written for both widths, chosen by the type of its arguments when it is
compiled; all that is built on them is written once. All numbers are `uint64`: mixed with signed
ones Numba would turn them into floats.
"""

from typing import Any

import numpy as np
from numba import types

from sim.kernel.jit import chosen_by_type, inlined
from sim.kernel.vectors import Mask, pair_at, where

Row = Any
"""`uint64`, or a pair of `uint64`."""
Word = Any
"""A `uint64`."""
Number = Any
"""An `int64`."""

U = np.uint64
ONES = U(0x0101010101010101)
LOW7 = U(0x7F7F7F7F7F7F7F7F)
TOPS = U(0x8080808080808080)
PITS = U(0x00FFFFFFFFFFFFFF)
STORE_BYTE = U(0xFF00000000000000)
GATHER = U(0x0102040810204080)  # moves the lowest bit of byte i to bit 56 + i
SCATTER = (
    U(0x9E3779B97F4A7C15),
    U(0xC2B2AE3D27D4EB4F),
    U(0x94D049BB133111EB),
    U(0xBF58476D1CE4E5B9),
)
I0: Any = np.int64(0)  # a number that is not known when it is compiled, unlike a plain 0
U0, U1, U2, U3, U4, U7, U8 = map(U, (0, 1, 2, 3, 4, 7, 8))
U15, U16, U32, U56, U255 = map(U, (15, 16, 32, 56, 255))


def _wide(row: Any) -> bool:
    return isinstance(row, types.BaseTuple)


def seeds_at(me: Row, opp: Row, cell: Word) -> Word:
    """Return the seeds in a cell."""
    raise NotImplementedError


@chosen_by_type(seeds_at)
def _seeds_at(me: Any, opp: Any, cell: Any) -> Any:
    def narrow(me: Any, opp: Any, cell: Any) -> Any:
        word = where((cell & U16) != U0, opp, me)
        return (word >> ((cell & U7) << U3)) & U255

    def wide(me: Any, opp: Any, cell: Any) -> Any:
        theirs = (cell & U16) != U0
        word = where((cell & U8) != U0, where(theirs, opp[1], me[1]), where(theirs, opp[0], me[0]))
        return (word >> ((cell & U7) << U3)) & U255

    return wide if _wide(me) else narrow


def lift(me: Row, opp: Row, cell: Word, seeds: Word) -> tuple[Row, Row]:
    """Take seeds out of a cell that holds at least as many."""
    raise NotImplementedError


@chosen_by_type(lift)
def _lift(me: Any, opp: Any, cell: Any, seeds: Any) -> Any:
    def narrow(me: Any, opp: Any, cell: Any, seeds: Any) -> Any:
        taken = seeds << ((cell & U7) << U3)
        theirs = where((cell & U16) != U0, taken, U0)
        return me - (taken ^ theirs), opp - theirs

    def wide(me: Any, opp: Any, cell: Any, seeds: Any) -> Any:
        taken = seeds << ((cell & U7) << U3)
        high = where((cell & U8) != U0, taken, U0)
        low = taken ^ high
        their_high = where((cell & U16) != U0, high, U0)
        their_low = where((cell & U16) != U0, low, U0)
        return (
            (me[0] - (low ^ their_low), me[1] - (high ^ their_high)),
            (opp[0] - their_low, opp[1] - their_high),
        )

    return wide if _wide(me) else narrow


def sown(me: Row, opp: Row, adds: Any, lap: Word) -> tuple[Row, Row]:
    """Add a lap's seeds: entry `lap` of the flat table of both rows' words."""
    raise NotImplementedError


@chosen_by_type(sown)
def _sown(me: Any, opp: Any, adds: Any, lap: Any) -> Any:
    def narrow(me: Any, opp: Any, adds: Any, lap: Any) -> Any:
        mine, other = pair_at(adds, lap << U1)
        return me + mine, opp + other

    def wide(me: Any, opp: Any, adds: Any, lap: Any) -> Any:
        mine, other = pair_at(adds, lap << U2), pair_at(adds, (lap << U2) + U2)
        return (me[0] + mine[0], me[1] + mine[1]), (opp[0] + other[0], opp[1] + other[1])

    return wide if _wide(me) else narrow


def row_at(like: Row, words: Any, i: Word) -> Row:
    """Return row i of a flat table of rows, of the width of `like`."""
    raise NotImplementedError


@chosen_by_type(row_at)
def _row_at(like: Any, words: Any, i: Any) -> Any:
    def narrow(like: Any, words: Any, i: Any) -> Any:
        return words[i]

    def wide(like: Any, words: Any, i: Any) -> Any:
        return (words[i * U2], words[i * U2 + U1])

    return wide if _wide(like) else narrow


def put_row_at(words: Any, i: Word, row: Row) -> None:
    """Write row i of a flat table of rows."""
    raise NotImplementedError


@chosen_by_type(put_row_at)
def _put_row_at(words: Any, i: Any, row: Any) -> Any:
    def narrow(words: Any, i: Any, row: Any) -> Any:
        words[i] = row

    def wide(words: Any, i: Any, row: Any) -> Any:
        words[i * U2] = row[0]
        words[i * U2 + U1] = row[1]

    return wide if _wide(row) else narrow


def store(row: Row) -> Word:
    """Return the seeds in a row's store."""
    raise NotImplementedError


@chosen_by_type(store)
def _store(row: Any) -> Any:
    def narrow(row: Any) -> Any:
        return row >> U56

    def wide(row: Any) -> Any:
        return row[1] >> U56

    return wide if _wide(row) else narrow


def banked(row: Row, seeds: Word) -> Row:
    """Add seeds to a row's store."""
    raise NotImplementedError


@chosen_by_type(banked)
def _banked(row: Any, seeds: Any) -> Any:
    def narrow(row: Any, seeds: Any) -> Any:
        return row + (seeds << U56)

    def wide(row: Any, seeds: Any) -> Any:
        return (row[0], row[1] + (seeds << U56))

    return wide if _wide(row) else narrow


def swept(row: Row) -> Row:
    """Return a row with its pits emptied, the store as it was."""
    raise NotImplementedError


@chosen_by_type(swept)
def _swept(row: Any) -> Any:
    def narrow(row: Any) -> Any:
        return row & STORE_BYTE

    def wide(row: Any) -> Any:
        return (U0, row[1] & STORE_BYTE)

    return wide if _wide(row) else narrow


def empty(row: Row) -> bool:
    """Whether all pits of a row are empty."""
    raise NotImplementedError


@chosen_by_type(empty)
def _empty(row: Any) -> Any:
    def narrow(row: Any) -> Any:
        return (row & PITS) == U0

    def wide(row: Any) -> Any:
        return (row[0] | (row[1] & PITS)) == U0

    return wide if _wide(row) else narrow


def total(row: Row) -> Word:
    """Return the seeds in all pits of a row (at most 255, so that no byte overflows)."""
    raise NotImplementedError


@chosen_by_type(total)
def _total(row: Any) -> Any:
    def narrow(row: Any) -> Any:
        return ((row & PITS) * ONES) >> U56

    def wide(row: Any) -> Any:
        return ((row[0] * ONES) >> U56) + (((row[1] & PITS) * ONES) >> U56)

    return wide if _wide(row) else narrow


def running(row: Row) -> Row:
    """Return a row whose pit i holds the seeds of pits 0 … i together (at most 255)."""
    raise NotImplementedError


@chosen_by_type(running)
def _running(row: Any) -> Any:
    def narrow(row: Any) -> Any:
        return (row & PITS) * ONES

    def wide(row: Any) -> Any:
        low = row[0] * ONES
        return low, ((row[1] & PITS) + (low >> U56)) * ONES

    return wide if _wide(row) else narrow


def occupied(row: Row) -> Word:
    """Return the pits that hold seeds, as bits."""
    raise NotImplementedError


@chosen_by_type(occupied)
def _occupied(row: Any) -> Any:
    def narrow(row: Any) -> Any:
        pits = row & PITS
        tops = (((pits & LOW7) + LOW7) | pits) & TOPS
        return ((tops >> U7) * GATHER) >> U56

    def wide(row: Any) -> Any:
        pits = row[1] & PITS
        tops = (((pits & LOW7) + LOW7) | pits) & TOPS
        low = (((row[0] & LOW7) + LOW7) | row[0]) & TOPS
        return (((low >> U7) * GATHER) >> U56) | ((((tops >> U7) * GATHER) >> U56) << U8)

    return wide if _wide(row) else narrow


def chain(row: Row, last: Word, counts: Any) -> Row:
    """Return what a capture takes: pit `last` and those before it, without a gap.

    A pit belongs to it while its seeds are among `counts`, each count in every byte of a word.
    Only the low four bits of `last` count. All other pits of the row returned are empty.
    """
    raise NotImplementedError


@chosen_by_type(chain)
def _chain(row: Any, last: Any, counts: Any) -> Any:
    # A byte's top bit says that the pit stops the chain; it is then copied into all bytes below.
    def narrow(row: Any, last: Any, counts: Any) -> Any:
        stops = row | TOPS  # only the top bits count
        for i in range(counts.size):
            other = row ^ counts[i]
            stops = stops & (((other & LOW7) + LOW7) | other)
        until = ((U2 << (((last & U7) << U3) + U7)) - U1) & TOPS
        runs = until & ~smeared(stops & until)
        return row & ((runs << U1) - (runs >> U7))

    def wide(row: Any, last: Any, counts: Any) -> Any:
        low, high = row[0] | TOPS, row[1] | TOPS
        for i in range(counts.size):
            other = row[0] ^ counts[i]
            low = low & (((other & LOW7) + LOW7) | other)
            other = row[1] ^ counts[i]
            high = high & (((other & LOW7) + LOW7) | other)
        until = ((U2 << (((last & U7) << U3) + U7)) - U1) & TOPS
        in_high = (last & U8) != U0
        until_high = where(in_high, until, U0)
        until_low = where(in_high, TOPS, until)
        runs_high = until_high & ~smeared(high & until_high)
        runs_low = until_low & ~smeared(low & until_low)
        runs_low = where((high & until_high) == U0, runs_low, U0)
        # Byte 7 of the low word is a pit: its mask is made without the bit that falls off.
        return (
            row[0] & ((runs_low - (runs_low >> U7)) | runs_low),
            row[1] & ((runs_high << U1) - (runs_high >> U7)),
        )

    return wide if _wide(row) else narrow


@inlined
def smeared(tops: Word) -> Word:
    """Copy the highest top bit of a word into all lower bytes; others among them make no odds."""
    tops |= tops >> U8
    tops |= tops >> U16
    return tops | (tops >> U32)


def minus(row: Row, taken: Row) -> Row:
    """Take away seeds, pit by pit, from a row that holds at least as many."""
    raise NotImplementedError


@chosen_by_type(minus)
def _minus(row: Any, taken: Any) -> Any:
    def narrow(row: Any, taken: Any) -> Any:
        return row - taken

    def wide(row: Any, taken: Any) -> Any:
        return (row[0] - taken[0], row[1] - taken[1])

    return wide if _wide(row) else narrow


def either(condition: Mask, a: Row, b: Row) -> Row:
    """Return row a where a condition holds, else row b, without a branch."""
    raise NotImplementedError


@chosen_by_type(either)
def _either(condition: Any, a: Any, b: Any) -> Any:
    def narrow(condition: Any, a: Any, b: Any) -> Any:
        return where(condition, a, b)

    def wide(condition: Any, a: Any, b: Any) -> Any:
        return (where(condition, a[0], b[0]), where(condition, a[1], b[1]))

    return wide if _wide(a) else narrow


def any_above(row: Row, step: Word) -> bool:
    """Whether a pit holds more than m seeds; `step` is (127 - m) in every byte, m at most 127."""
    raise NotImplementedError


@chosen_by_type(any_above)
def _any_above(row: Any, step: Any) -> Any:
    def narrow(row: Any, step: Any) -> Any:
        pits = row & PITS
        return ((((pits & LOW7) + step) | pits) & TOPS) != U0

    def wide(row: Any, step: Any) -> Any:
        pits = row[1] & PITS
        low = ((row[0] & LOW7) + step) | row[0]
        return ((low | ((pits & LOW7) + step) | pits) & TOPS) != U0

    return wide if _wide(row) else narrow


def position_words(me: Row, opp: Row, player: Word) -> tuple[Word, ...]:
    """Return what makes a position: both rows' pits and who is to move, two words or four."""
    raise NotImplementedError


@chosen_by_type(position_words)
def _position_words(me: Any, opp: Any, player: Any) -> Any:
    def narrow(me: Any, opp: Any, player: Any) -> Any:
        return ((me & PITS) | (player << U56), opp & PITS)

    def wide(me: Any, opp: Any, player: Any) -> Any:
        return (me[0], (me[1] & PITS) | (player << U56), opp[0], opp[1] & PITS)

    return wide if _wide(me) else narrow
