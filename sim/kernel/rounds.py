"""What follows a move: who is to move, whether the round is over, and who collects."""

from typing import Any

from numba import types

from sim.kernel.jit import chosen_by_type, inlined
from sim.kernel.names import (
    BOARD_EMPTY,
    DRAW,
    EMPTY_FIRST,
    GOING_ON,
    MAX_LAPS,
    MAX_PLIES,
    NO_MOVE,
    REPETITION,
    SIDE_EMPTY,
    WHEN_BOARD,
    WHEN_NO_MOVE,
    WHEN_SIDE,
    WIN_SEEDS,
)
from sim.kernel.rows import (
    SCATTER,
    U0,
    U1,
    U2,
    U4,
    U32,
    Row,
    U,
    Word,
    banked,
    empty,
    position_words,
    store,
    swept,
    total,
)
from sim.kernel.vectors import where
from sim.tables import Tables

FILTER_SLOTS = 32
U31, U49, U52, U54, U58, U59, U63 = map(U, (31, 49, 52, 54, 58, 59, 63))
LOW32 = U(0xFFFFFFFF)


@inlined
def judged(t: Tables, me: Row, opp: Row) -> Any:
    """Judge a position by `win_seeds` and `end.when` for the player to move.

    Returns the reason or `GOING_ON`, and whether that player passes. A player with seeds but no
    legal move ends the round too: that is found when a move is chosen.
    """
    if store(me) >= t.rule.win_seeds or store(opp) >= t.rule.win_seeds:
        return WIN_SEEDS, False
    mine, other = empty(me), empty(opp)
    either_ends = t.rule.end_when == WHEN_SIDE or t.rule.end_when == EMPTY_FIRST
    if not mine and not (other and either_ends):
        return GOING_ON, False
    if t.rule.end_when == WHEN_NO_MOVE:
        return NO_MOVE, False
    if t.rule.end_when == WHEN_BOARD:
        return (BOARD_EMPTY, False) if other else (GOING_ON, True)
    return SIDE_EMPTY, False


@inlined
def collected(t: Tables, reason: int, row0: Row, row1: Row) -> Any:
    """Sweep what is left in the rows at a round's end into the stores it belongs to."""
    if (
        reason == WIN_SEEDS
        or t.rule.end_when == EMPTY_FIRST
        or (reason == REPETITION and t.rule.repetition_leave)
    ):
        return row0, row1
    left0, left1 = total(row0), total(row1)
    crossed = (
        t.rule.leftover_opponent
        and (left0 == U0 or left1 == U0)
        and reason != MAX_PLIES
        and reason != MAX_LAPS
        and reason != REPETITION
    )
    if crossed:
        left0, left1 = left1, left0
    return banked(swept(row0), left0), banked(swept(row1), left1)


@inlined
def round_winner(t: Tables, reason: int, row0: Row, row1: Row) -> int:
    """Return who won a round with collected rows: 0, 1 or `DRAW`."""
    if t.rule.end_when == EMPTY_FIRST:
        if reason != SIDE_EMPTY or empty(row0) == empty(row1):
            return DRAW
        return 0 if empty(row0) else 1
    return larger(store(row0), store(row1))


@inlined
def larger(seeds0: Word, seeds1: Word) -> int:
    """Return whose number is larger: 0, 1 or `DRAW`."""
    if seeds0 == seeds1:
        return DRAW
    return 0 if seeds0 > seeds1 else 1


@inlined
def scattered(words: Any) -> Word:
    """Return a hash of a position, good in its upper bits."""
    mixture = words[0] * SCATTER[0]
    for w in range(1, len(words)):
        mixture = mixture + words[w] * SCATTER[w]
    return mixture


@inlined
def filing(words: Any) -> Any:
    """Return the slot of a lane's filter to which a position belongs, and its two marks there.

    A slot holds 32 marks and, above them, the generation that set them: raising a lane's
    generation empties all its slots.
    """
    mixture = scattered(words)
    marks = (U1 << ((mixture >> U54) & U31)) | (U1 << ((mixture >> U49) & U31))
    return mixture >> U59, marks


@inlined
def current(filed: Word, generation: Word) -> Word:
    """Return the marks of a slot that were set in a generation."""
    return where((filed >> U32) == generation, filed & LOW32, U0)


@inlined
def seen_before(
    history: Any, base: Word, n: Word, bloom: Word, me: Row, opp: Row, player: Word
) -> Any:
    """Note a position as entry n of the history; return how often it had stood there before.

    The history begins at entry `base` of a flat array. `bloom` holds the marks of its
    positions, two bits of 64 each, which spares most look-ups: a new position rarely finds both of
    its bits there.
    Returns the count and the new `bloom`.
    """
    words = position_words(me, opp, player)
    size = U(len(words))
    for w in range(len(words)):
        history[(base + n) * size + U(w)] = words[w]
    mixture = scattered(words)
    mark = (U1 << (mixture >> U58)) | (U1 << ((mixture >> U52) & U63))
    times = 0
    if bloom & mark == mark:
        for i in range(n):
            same = True
            for w in range(len(words)):
                same = same and history[(base + U(i)) * size + U(w)] == words[w]
            times += same
    return times, bloom | mark


def stored_words(like: Row, history: Any, i: Word) -> Any:
    """Return entry i of a history as the words that make a position, of the width of `like`."""
    raise NotImplementedError


@chosen_by_type(stored_words)
def _stored_words(like: Any, history: Any, i: Any) -> Any:
    def narrow(like: Any, history: Any, i: Any) -> Any:
        return (history[i * U2], history[i * U2 + U1])

    def wide(like: Any, history: Any, i: Any) -> Any:
        at = i * U4
        return (history[at], history[at + U1], history[at + U2], history[at + U2 + U1])

    return wide if isinstance(like, types.BaseTuple) else narrow
