"""Alpha-beta search: what a position is worth to the player to move.

A worth is the difference of final stores, the mover's less the other's; where the first empty row
wins, it is `WON`, 0 or `-WON`. Moves that keep the turn are searched as the same player's, and a
ply is a ply, whoever makes it. Rounds are searched, not matches.

It is the textbook's principal variation search (Marsland and Campbell, ACM Computing Surveys 1982)
with a memory of positions. What is its own: a memory that knows whether a worth rests on an
evaluation, so that what has been searched to the end is never searched again at any depth, and the
bounds that the seeds still in play set.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernel.endgames import Endgames, covered, endgame_value
from sim.kernel.jit import inlined, jit
from sim.kernel.memory import (
    LOWER,
    NO_BEST,
    NO_ENTRY,
    UPPER,
    guessed_in,
    holds_at,
    key_words,
    kind_in,
    looked_up,
    packed_entry,
    pit_in,
    remember,
    value_in,
)
from sim.kernel.moves import IN_STORE, legal, moved
from sim.kernel.names import EMPTY_FIRST, GOING_ON, MAX_PLIES, NO_MOVE, OVERFLOW, REPETITION
from sim.kernel.rounds import collected, round_winner
from sim.kernel.rows import (
    I0,
    U0,
    U1,
    U4,
    U8,
    U15,
    U16,
    U32,
    U255,
    Number,
    Row,
    U,
    Word,
    put_row_at,
    row_at,
    store,
    total,
)
from sim.kernel.steps import Stand, followed
from sim.kernel.vectors import highest
from sim.tables import Tables

WON = 1000
ENDLESS = 1200  # beyond any worth
HIGHEST = 1000  # plies that a search may go down
NODES, BUDGET, STOPPED, EVALUATED, GENERATION, BY_ROWS = range(6)  # the places of `Desk.counts`


class Desk(NamedTuple):
    """What a search works with."""

    memory: NDArray[np.uint64]  # see `kernel.memory`
    counts: NDArray[np.int64]  # positions visited, how many may be, whether it was stopped, …
    kids: NDArray[np.uint64]  # of each ply of the line that is searched, its moves' boards
    marks: NDArray[np.uint64]  # and what is known of these moves
    history: NDArray[np.uint64]  # positions since a seed was last stored, as `seen_before` has them
    ends: Endgames  # what is known of positions with few seeds


@inlined
def final_worth(t: Tables, reason: Number, me: Row, opp: Row) -> Number:
    """Return what the end of a round is worth to the player whose row is `me`."""
    me, opp = collected(t, reason, me, opp)
    if t.rule.end_when == EMPTY_FIRST:
        winner = round_winner(t, reason, me, opp)
        return WON * (winner == 0) - WON * (winner == 1)
    return ahead(me, opp)


@inlined
def ahead(me: Row, opp: Row) -> Number:
    """Return how many seeds a store is ahead of the other."""
    lead: Number = np.int64(store(me)) - np.int64(store(opp))
    return lead


@inlined
def worth_by_table(t: Tables, d: Desk, me: Row, opp: Row) -> Number:
    """Return what a position that an endgame table covers is worth to the player to move."""
    value = endgame_value(d.ends, me, opp)
    return WON * value if t.rule.end_when == EMPTY_FIRST else ahead(me, opp) + value


@inlined
def evaluated(t: Tables, by_rows: Number, me: Row, opp: Row) -> Number:
    """Return what a position is guessed to be worth: what `ahead` says.

    `by_rows`: as if each player owned the own row. Where the first empty row wins, fewer seeds in
    the own row are better.
    """
    rows = np.int64(total(me)) - np.int64(total(opp))
    if t.rule.end_when == EMPTY_FIRST:
        return I0 - rows
    return ahead(me, opp) + (rows if by_rows else I0)


@jit
def worth(
    t: Tables,
    d: Desk,
    me: Row,
    opp: Row,
    at: Stand,
    height: Number,
    depth: Number,
    low: Number,
    high: Number,
) -> Number:
    """Return what a position is worth to the player to move, if that lies between two bounds.

    A result up to `low` is an upper bound, one from `high` on a lower bound. `depth` plies are
    looked ahead; `height` is how many have been made. The result of a search that is stopped means
    nothing.
    """
    lead = I0
    if t.rule.end_when != EMPTY_FIRST:
        lead = ahead(me, opp)
        spread = np.int64(total(me) + total(opp))
        # All seeds in the rows to one player: no play gives more.
        if lead + spread <= low:
            return lead + spread
        if lead - spread >= high:
            return lead - spread
    d.counts[NODES] += 1
    if covered(d.ends, me, opp):
        return worth_by_table(t, d, me, opp)
    if d.counts[NODES] >= d.counts[BUDGET] or height == HIGHEST:
        d.counts[STOPPED] = 1
        return I0
    if depth == 0:
        d.counts[EVALUATED] += 1
        return evaluated(t, d.counts[BY_ROWS], me, opp)
    base = I0 if t.rule.majority else lead  # memory holds what is won from here on
    words = key_words(
        me, opp, at.player if t.rule.sunog else U0, store(me) if t.rule.majority else U0
    )
    known, value, best_pit = recalled(d, words, base, depth, low, high)
    if known:
        return value
    pits = legal(t, at.layout, me, opp)
    if pits == U0:
        return final_worth(t, NO_MOVE, me, opp)
    before, evaluations = d.counts[NODES], d.counts[EVALUATED]
    left = list_moves(t, d, me, opp, at.layout, pits, best_pit, height)
    best, bound = I0 - ENDLESS, low
    while left > 0:
        left -= 1
        pit, me2, opp2, changes, value, reason, after = made(t, d, me, opp, at, height, left)
        # After a first move that was searched in full, others are first only asked whether they
        # are better.
        until = high if best == -ENDLESS else bound + 1
        while reason == GOING_ON:
            a, b = (-until, -bound) if changes else (bound, until)
            value = worth(t, d, me2, opp2, after, height + 1, depth - 1, a, b)
            if d.counts[STOPPED]:
                return I0
            value = I0 - value if changes else value
            if until >= high or value < until:
                break
            until = high
        if value > best:
            best, best_pit = value, pit
            if value > bound:
                bound = value
                if value >= high:
                    break
    kind = UPPER if best <= low else (LOWER if best >= high else LOWER | UPPER)
    guessed = d.counts[EVALUATED] != evaluations
    noted(d, words, best - base, kind, guessed, best_pit, depth, d.counts[NODES] - before)
    return best


@inlined
def recalled(d: Desk, words: Any, base: Number, depth: Number, low: Number, high: Number) -> Any:
    """Look a position up in memory, whose values are `base` lower here.

    Returns whether what is known decides it between the bounds, its worth then, and the pit to be
    tried first.
    """
    _, entry = looked_up(d.memory, words, U(d.counts[GENERATION]))
    if entry == NO_ENTRY:
        return False, I0, NO_BEST
    value, kind = value_in(entry) + base, kind_in(entry)
    decided = kind == LOWER | UPPER
    decided = decided or (kind == LOWER and value >= high) or (kind == UPPER and value <= low)
    if not (decided and holds_at(entry, depth)):
        return False, I0, pit_in(entry)
    d.counts[EVALUATED] += guessed_in(entry)
    return True, value, pit_in(entry)


@inlined
def noted(
    d: Desk, words: Any, value: Number, kind: Word, guessed: bool, pit: Word, depth: Number,
    visited: Number,
) -> None:  # fmt: skip
    """Write to memory what a search of a position found, having visited so many."""
    generation = U(d.counts[GENERATION])
    work = highest(U(visited) | U1)
    # The place is looked up anew: the moves' own searches may have taken it.
    place, _ = looked_up(d.memory, words, generation)
    entry = packed_entry(value, kind, guessed, pit, depth, work, generation)
    remember(d.memory, place, words, entry)


@jit
def list_moves(
    t: Tables, d: Desk, me: Row, opp: Row, layout: Word, pits: Word, first: Word, height: Number
) -> Number:
    """Make each legal move, and list the results so that the last is to be tried first.

    A mark is, from its highest bits on: how early to try the move, the pit, the last seed's cell,
    how the move went. The pit `first` comes first; then what banks most, an extra turn and what
    lies near the store before others. Returns how many there are.
    """
    n = I0
    for i in range(12):
        pit = U(i)
        if (pits >> pit) & U1 != U0:
            me2, opp2, cell, _, _, went = moved(t, layout, me, opp, pit)
            early = (store(me2) - store(me)) << U4
            if t.rule.extra_turn and (cell & IN_STORE) == IN_STORE:
                early += U(40)
            early += pit
            if pit == first:
                early += U(1 << 15)
            mark = (early << U32) | (pit << U16) | (cell << U8) | U(went)
            # Insertion into the sorted list; boards stay where they are, known by their pit.
            k = n
            while k > 0 and d.marks[U(height * 12 + k - 1)] > mark:
                d.marks[U(height * 12 + k)] = d.marks[U(height * 12 + k - 1)]
                k -= 1
            d.marks[U(height * 12 + k)] = mark
            put_row_at(d.kids, U(2 * (height * 12 + i)), me2)
            put_row_at(d.kids, U(2 * (height * 12 + i) + 1), opp2)
            n += 1
    return n


@jit
def made(t: Tables, d: Desk, me: Row, opp: Row, at: Stand, height: Number, number: Number) -> Any:
    """Take up a listed move.

    Returns its pit, the rows of the player to move next and of the other, whether that player is
    another one, what the move is worth to the player who makes it if the round is over, why it is
    or `GOING_ON`, and where it stands.
    """
    mark = d.marks[U(height * 12 + number)]
    pit, cell, went = (mark >> U16) & U15, (mark >> U8) & U255, np.int64(mark & U15)
    kid = U(2 * height * 12) + (pit << U1)
    me2, opp2 = row_at(me, d.kids, kid), row_at(me, d.kids, kid + U1)
    room = U(d.history.size // len(key_words(me, opp, U0, U0)))
    me3, opp3, changes, reason, after = followed(
        t, at, me, opp, me2, opp2, cell, went, d.history, U0, room
    )
    value = I0
    if reason != GOING_ON:
        d.counts[NODES] += 1
        # Such an end depends on what was before: it holds for no other way to the position.
        d.counts[EVALUATED] += reason in (REPETITION, MAX_PLIES, OVERFLOW)
        value = final_worth(t, reason, me3, opp3)
        if changes:
            value = I0 - value
    return pit, me3, opp3, changes, value, reason, after
