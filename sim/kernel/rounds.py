"""What follows a move: who is to move, whether the round is over, and who collects."""

from typing import Any

from sim.kernel.jit import inlined
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
from sim.tables import Tables

U52, U58, U63 = map(U, (52, 58, 63))


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
def fingerprint(words: Any) -> Word:
    """Return two of 64 bits, scattered: few positions have both bits of another."""
    scattered = words[0] * SCATTER[0]
    for w in range(1, len(words)):
        scattered = scattered + words[w] * SCATTER[w]
    return (U1 << (scattered >> U58)) | (U1 << ((scattered >> U52) & U63))


@inlined
def seen_before(
    history: Any, base: Word, n: Word, bloom: Word, me: Row, opp: Row, player: Word
) -> Any:
    """Note a position as entry n of the history; return how often it had stood there before.

    The history begins at entry `base` of a flat array. `bloom` holds the fingerprints of its
    positions, which spares most look-ups: a new position rarely has both bits of its own there.
    Returns the count and the new `bloom`.
    """
    words = position_words(me, opp, player)
    size = U(len(words))
    for w in range(len(words)):
        history[(base + n) * size + U(w)] = words[w]
    mark = fingerprint(words)
    times = 0
    if bloom & mark == mark:
        for i in range(n):
            same = True
            for w in range(len(words)):
                same = same and history[(base + U(i)) * size + U(w)] == words[w]
            times += same
    return times, bloom | mark
