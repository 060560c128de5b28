"""A search's memory of positions: a table of fixed size, of what was found out about each.

An entry is the position's words and one word more: from its lowest bit on the value (relative to
the stores where these do not matter, plus `ZERO`), what the value is (`LOWER`, `UPPER` or both),
whether it rests on an evaluation, the best pit, the depth searched, the binary logarithm of the
positions visited for it, and the generation. Raising the generation forgets everything.
"""

from typing import Any

import numpy as np
from numba import types

from sim.kernel.jit import chosen_by_type, inlined
from sim.kernel.rounds import scattered
from sim.kernel.rows import PITS, U0, U1, U15, U32, U56, Number, Row, U, Word

LOWER, UPPER = U(1), U(2)
ZERO = 2048
DEEPEST = 511  # plies: a deeper search is kept as one of so many
NO_ENTRY = U(0)
U12, U19, U28, U34 = map(U, (12, 19, 28, 34))
GUESSED = U(1 << 14)
VALUE, DEPTH, WORK = U(4095), U(DEEPEST), U(63)
NO_BEST = U15


def key_words(me: Row, opp: Row, player: Word, banked: Word) -> Any:
    """Return a position as words: both rows' pits, and two numbers that tell it from others."""
    raise NotImplementedError


@chosen_by_type(key_words)
def _key_words(me: Any, opp: Any, player: Any, banked: Any) -> Any:
    def narrow(me: Any, opp: Any, player: Any, banked: Any) -> Any:
        return ((me & PITS) | (player << U56), (opp & PITS) | (banked << U56))

    def wide(me: Any, opp: Any, player: Any, banked: Any) -> Any:
        return (me[0], (me[1] & PITS) | (player << U56), opp[0], (opp[1] & PITS) | (banked << U56))

    return wide if isinstance(me, types.BaseTuple) else narrow


@inlined
def looked_up(memory: Any, words: Any, generation: Word) -> Any:
    """Return where a position's entry is, or would go, and what is known of it, or `NO_ENTRY`.

    Of the two places that a position has, the one goes whose entry cost less to find out.
    """
    size = U(len(words) + 1)
    slots = U(memory.size) // size
    slot = _slot(words, slots)
    other = slot ^ U1
    place, entry = slot * size, memory[slot * size + size - U1]
    place2, entry2 = other * size, memory[other * size + size - U1]
    if _is_of(memory, place, entry, words, generation):
        return place, entry
    if _is_of(memory, place2, entry2, words, generation):
        return place2, entry2
    work = U0 if entry >> U34 != generation else ((entry >> U28) & WORK) + U1
    work2 = U0 if entry2 >> U34 != generation else ((entry2 >> U28) & WORK) + U1
    return (place if work <= work2 else place2), NO_ENTRY


@inlined
def _slot(words: Any, slots: Word) -> Word:
    """Return a position's first place: the upper bits of its hash, scaled to the table."""
    return ((scattered(words) >> U32) * slots) >> U32


@inlined
def _is_of(memory: Any, place: Word, entry: Word, words: Any, generation: Word) -> Any:
    same = entry >> U34 == generation
    for w in range(len(words)):
        same = same and memory[place + U(w)] == words[w]
    return same


@inlined
def remember(memory: Any, place: Word, words: Any, entry: Word) -> None:
    """Write an entry to the place that `looked_up` gave."""
    for w in range(len(words)):
        memory[place + U(w)] = words[w]
    memory[place + U(len(words))] = entry


@inlined
def packed_entry(
    value: Number, kind: Word, guessed: bool, pit: Word, depth: Number, work: Word, generation: Word
) -> Word:
    """Return an entry."""
    entry = U(value + ZERO) | (kind << U12) | (pit << U15) | (U(min(depth, DEEPEST)) << U19)
    return entry | (GUESSED if guessed else U0) | (work << U28) | (generation << U34)


@inlined
def value_in(entry: Word) -> Number:
    """Return an entry's value."""
    value: Number = np.int64(entry & VALUE) - ZERO
    return value


@inlined
def kind_in(entry: Word) -> Word:
    """Return whether an entry's value is a lower bound, an upper one, or both."""
    return (entry >> U12) & (LOWER | UPPER)


@inlined
def guessed_in(entry: Word) -> Any:
    """Whether an entry's value rests on an evaluation."""
    return (entry & GUESSED) != U0


@inlined
def holds_at(entry: Word, depth: Number) -> Any:
    """Whether what is known stands for a search of a depth: it went as deep, or to the end."""
    return not guessed_in(entry) or np.int64((entry >> U19) & DEPTH) >= depth


@inlined
def pit_in(entry: Word) -> Word:
    """Return an entry's best pit, `NO_BEST` where none is known."""
    return (entry >> U15) & U15
