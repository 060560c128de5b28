"""One move on a packed board, and which moves are legal. A move is a value to a value."""

from typing import Any

from sim.kernel.jit import inlined, jit
from sim.kernel.names import (
    ALLOWED,
    ALWAYS,
    COUNT,
    FORBIDDEN,
    LEAVE_FIRST,
    NO_CAPTURE,
    OPPOSITE,
    UNLESS_ONLY,
    WHEN_EMPTY,
)
from sim.kernel.rows import (
    U0,
    U1,
    U15,
    U16,
    Row,
    U,
    Word,
    any_above,
    banked,
    chain,
    empty,
    lift,
    minus,
    occupied,
    seeds_at,
    sown,
    total,
)
from sim.kernel.vectors import Mask, at, where
from sim.tables import Tables

IN_STORE = U(15)  # the low four bits of a store's cell
PLAYED, CAPPED, SLAM = 0, 1, 2  # how a move went: `SLAM` is a forbidden one
NO_PIT = U(99)


@inlined
def move(t: Tables, layout: Word, me: Row, opp: Row, pit: Word) -> Any:
    """Sow a pit, lap by lap, and capture.

    Returns both rows, the last seed's cell, the laps, the seeds captured (`uint64`) and how the
    move went (`PLAYED`, `CAPPED` by `max_laps`, or a forbidden `SLAM`).
    """
    cell, laps = pit, U0
    while True:
        seeds = seeds_at(me, opp, cell)
        lap = layout + (cell << t.rule.lap_shift) + seeds
        me, opp = lift(me, opp, cell, seeds)
        me, opp = sown(me, opp, t.adds, lap)
        cell = at(t.lands, lap)
        laps += U1
        if not t.rule.relay or (cell & IN_STORE) == IN_STORE or seeds_at(me, opp, cell) == U1:
            break
        if laps >= t.rule.max_laps:
            return me, opp, cell, laps, U0, CAPPED
    captured, went = U0, PLAYED
    if t.rule.capture == OPPOSITE:
        if cell < t.rule.pits and seeds_at(me, opp, cell) == U1:
            me, opp, captured = facing_capture(t, me, opp, cell, True)
    elif t.rule.capture == COUNT and cell >= U16 and (cell & IN_STORE) != IN_STORE:
        me, opp, captured, went = _chain_capture(t, me, opp, cell)
    return me, opp, cell, laps, captured, went


@inlined
def facing_capture(t: Tables, me: Row, opp: Row, cell: Word, own: Mask) -> Any:
    """Take the seeds that face a cell, if that is an `own` one into which a lone seed fell.

    Returns both rows and the seeds captured, the lone one included if it goes along.
    """
    facing = (t.rule.facing - cell) & U15
    seeds = seeds_at(opp, opp, facing)
    takes = own & ((seeds | t.rule.takes_nothing) != U0)
    seeds, lone = where(takes, seeds, U0), where(takes, t.rule.own_seed, U0)
    opp, _ = lift(opp, opp, facing, seeds)
    me, _ = lift(me, me, cell & U15, lone)
    return banked(me, seeds + lone), opp, seeds + lone


@inlined
def _chain_capture(t: Tables, me: Row, opp: Row, last: Word) -> Any:
    """Take the last seed's pit and those before it without a gap, as the grand slam rule lets."""
    taken = chain(opp, last, t.counts)
    if t.rule.grand_slam != ALLOWED and empty(minus(opp, taken)) and not empty(taken):
        if t.rule.grand_slam == FORBIDDEN:
            return me, opp, U0, SLAM
        if t.rule.grand_slam == NO_CAPTURE:
            return me, opp, U0, PLAYED
        spared = last
        if t.rule.grand_slam == LEAVE_FIRST:
            spared = U16
            while seeds_at(me, taken, spared) == U0:
                spared += U1
        _, taken = lift(me, taken, spared, seeds_at(me, taken, spared))
    captured = total(taken)
    return banked(me, captured), minus(opp, taken), captured, PLAYED


@jit
def moved(t: Tables, layout: Word, me: Row, opp: Row, pit: Word) -> Any:
    """Do what `move` does as a call: what uses it is off the hot path, and compiles faster so."""
    return move(t, layout, me, opp, pit)


@inlined
def starves(t: Tables, opp_before: Row, opp_after: Row) -> bool:
    """Whether a move is one that the feeding rule forbids (or leaves only where none else is)."""
    if not empty(opp_after):
        return False
    return t.rule.must_feed >= ALWAYS or (t.rule.must_feed == WHEN_EMPTY and empty(opp_before))


@inlined
def surely_legal(t: Tables, opp: Row) -> bool:
    """Whether every occupied pit is legal for a reason that can be seen without sowing.

    A pit with more seeds than any size that is captured stays, so the row is not emptied.
    """
    if not t.rule.restricted:
        return True
    if (
        t.rule.capture == COUNT
        and t.rule.above_counts != U0
        and any_above(opp, t.rule.above_counts)
    ):
        return True
    return t.rule.must_feed == WHEN_EMPTY and t.rule.grand_slam != FORBIDDEN and not empty(opp)


@jit
def legal(t: Tables, layout: Word, me: Row, opp: Row) -> Word:
    """Return the legal pits as bits."""
    pits = occupied(me)
    if surely_legal(t, opp):
        return pits
    fed, starved = U0, U0
    for i in range(12):
        pit = U(i)
        if (pits >> pit) & U1 != U0:
            _, after, _, _, _, went = moved(t, layout, me, opp, pit)
            if went != SLAM:
                if starves(t, opp, after):
                    starved |= U1 << pit
                else:
                    fed |= U1 << pit
    if fed == U0 and t.rule.must_feed == UNLESS_ONLY:
        return starved
    return fed
