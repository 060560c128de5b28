"""Endgame tables by retrograde analysis, one level of seeds in the rows after the other.

A move that stores seeds leads to a level that is known; only moves that store none stay within
their level, where play can go in circles. As in J. W. Romein and H. E. Bal, Solving awari with
parallel retrograde analysis (IEEE Computer 36(10), 2003), and T. Lincke, Exploring the
computational limits of large exhaustive search problems (PhD thesis, ETH Zurich, 2002), what is
known is carried back through a level until nothing changes. Here each position has two bounds: the
mover can force at least `low` in finite time, and the opponent can hold it to at most `high`. What
lies between is endless play, worth 0.

Bounds advance in stages, each resting on those of earlier stages alone. So whoever follows a
bound back by stages comes to the move that makes it true: that is why stages are kept.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernel.endgames import Endgames, endgame_value, place
from sim.kernel.jit import inlined, jit
from sim.kernel.moves import CAPPED, IN_STORE, legal, moved
from sim.kernel.names import DRAW, EMPTY_FIRST, GOING_ON, MAX_LAPS, NO_MOVE
from sim.kernel.rounds import collected, judged, round_winner
from sim.kernel.rows import U0, U1, U16, Row, U, lift, seeds_at, store, total
from sim.tables import Tables

UNBOUNDED = 127
LAST_STAGE = 65535


class Work(NamedTuple):
    """Memory for one level of m positions; a position is numbered within its level."""

    low: NDArray[np.int8]  # (m,)
    high: NDArray[np.int8]  # (m,)
    next_low: NDArray[np.int8]  # (m,): of the open positions, in their order
    next_high: NDArray[np.int8]  # (m,)
    open: NDArray[np.uint32]  # (m,): positions whose bounds may still change
    first: NDArray[np.uint32]  # (m + 1,): where each position's children begin
    children: NDArray[np.uint32]  # (occupied pits of all movers,): where moves lead in the level


@jit
def expanded(t: Tables, e: Endgames, w: Work, me: Row, opp: Row, size: int) -> int:
    """Generate the moves of a level whose `size` positions begin with (me, opp).

    All levels below must be in the table. Sets the children, the bounds that follow without them,
    and the stages; returns how many positions are open.
    """
    seeds, base = total(opp), place(e, me, opp)
    edges, opened = 0, 0
    for p in range(size):
        if p > 0:
            me, opp = following(t, me, opp)
        w.first[p] = edges
        reason, passes = judged(t, me, opp)
        pits = U0
        if reason == GOING_ON and not passes:
            pits = legal(t, U0, me, opp)
            if pits == U0:
                reason = NO_MOVE
        low, stage = -UNBOUNDED, 1
        if reason != GOING_ON:
            low, stage = outcome(t, reason, me, opp), 0
        elif passes:
            w.children[edges] = place(e, opp, me) - base
            edges += 1
        for i in range(12):
            if (pits >> U(i)) & U1 != U0:
                mine, other, cell, _, _, went = moved(t, U0, me, opp, U(i))
                if went == CAPPED:
                    low = max(low, outcome(t, MAX_LAPS, mine, other))
                elif total(mine) + total(other) == seeds:  # no store: so no extra turn
                    w.children[edges] = place(e, other, mine) - base
                    edges += 1
                elif t.rule.extra_turn != 0 and (cell & IN_STORE) == IN_STORE:
                    low = max(low, gain(t, mine, other) + endgame_value(e, mine, other))
                else:
                    low = max(low, gain(t, mine, other) - endgame_value(e, other, mine))
        bounded = edges == w.first[p]
        w.low[p], w.high[p] = low, low if bounded else UNBOUNDED
        e.stages[base + U(p)] = stage if low > 0 or (bounded and low < 0) else 0
        if not bounded:
            w.open[opened] = p
            opened += 1
    w.first[size] = edges
    return opened


@inlined
def following(t: Tables, me: Row, opp: Row) -> Any:
    """Return the next position of a level, in the order of places; there must be one."""
    seeds = seeds_at(me, opp, U0)
    me, opp = lift(me, opp, U0, seeds)
    cell, before = U0, U0
    while seeds_at(me, opp, cell) == U0:
        before = cell
        cell = cell + U1 if cell + U1 != t.rule.pits else U16
    me, opp = lift(me, opp, cell, U1)
    return lift(me, opp, before, ~seeds)  # puts `seeds + 1` there: numbers without a sign wrap


@inlined
def gain(t: Tables, me: Row, opp: Row) -> Any:
    """Return what seeds stored since the stores were empty are worth."""
    if t.rule.end_when == EMPTY_FIRST:
        return 0
    return np.int64(store(me)) - np.int64(store(opp))


@inlined
def outcome(t: Tables, reason: int, me: Row, opp: Row) -> Any:
    """Return what a round's end is worth to the player of row `me`."""
    if t.rule.end_when == EMPTY_FIRST:
        winner = round_winner(t, reason, me, opp)
        return 0 if winner == DRAW else 1 - 2 * winner
    me, opp = collected(t, reason, me, opp)
    return gain(t, me, opp)


@jit
def advanced(w: Work, stages: Any, opened: int, stage: int) -> Any:
    """Advance the bounds of the open positions by one stage.

    `stages` are those of the level. Returns how many positions are still open, and whether any
    bound has changed.
    """
    for j in range(opened):
        p = w.open[j]
        # What is known without children is in `low`, and no bound below it can be right.
        low = high = np.int64(w.low[p])
        for k in range(w.first[p], w.first[p + 1]):
            child = w.children[k]
            low, high = max(low, -w.high[child]), max(high, -w.low[child])
        w.next_low[j], w.next_high[j] = low, max(low, high)
    still, changed = 0, False
    for j in range(opened):
        p, low, high = w.open[j], w.next_low[j], w.next_high[j]
        if low > w.low[p]:
            w.low[p], changed = low, True
            if low > 0:
                stages[p] = min(stage, LAST_STAGE)
        if high < w.high[p]:
            w.high[p], changed = high, True
            if high < 0:
                stages[p] = min(stage, LAST_STAGE)
        if low < high:
            w.open[still] = p
            still += 1
    return still, changed


@jit
def valued(w: Work, values: Any) -> None:
    """Set a level's values from bounds that no longer change."""
    for p in range(values.size):
        values[p] = max(w.low[p], min(w.high[p], 0))
