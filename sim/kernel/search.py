"""Searches from the position of a game: which pits are best, and what each is worth."""

from typing import Any

import numpy as np

from sim.kernel.alphabeta import (
    BUDGET,
    ENDLESS,
    EVALUATED,
    GENERATION,
    NODES,
    STOPPED,
    WON,
    Desk,
    list_moves,
    made,
    worth,
    worth_by_table,
)
from sim.kernel.choose import pick
from sim.kernel.endgames import covered, endgame_stage
from sim.kernel.jit import jit
from sim.kernel.memory import DEEPEST, NO_BEST
from sim.kernel.names import EMPTY_FIRST, GOING_ON
from sim.kernel.rows import I0, U0, U1, Number, Row, U, Word, total
from sim.kernel.sitting import copy_history, mover_rows, stand_of
from sim.kernel.steps import Stand
from sim.tables import Tables

UNLIMITED = DEEPEST  # plies: a search that deep goes to the end of the game


@jit
def worth_of_move(
    t: Tables,
    d: Desk,
    me: Row,
    opp: Row,
    at: Stand,
    pit: Word,
    depth: Number,
    low: Number,
    high: Number,
) -> Number:
    """Return what a legal move is worth to the player who makes it, as `worth` does."""
    list_moves(t, d, me, opp, at.layout, U1 << pit, NO_BEST, I0)
    _, me2, opp2, changes, value, reason, after = made(t, d, me, opp, at, I0, I0)
    if reason != GOING_ON:
        return value
    a, b = (-high, -low) if changes else (low, high)
    value = worth(t, d, me2, opp2, after, I0 + 1, depth - 1, a, b)
    return -value if changes else value


@jit
def best_pits(t: Tables, d: Desk, me: Row, opp: Row, at: Stand, pits: Word, depth: Number) -> Any:
    """Search ever deeper, up to `depth` plies or to the end of the game.

    Returns the pits, as bits, that are worth most by the deepest search that was finished (the
    first pit, if none was), their worth, and whether it is exact.
    """
    best, value, exact = pits & (~pits + U1), I0, False
    d.counts[GENERATION] += 1
    for ply in range(1, depth + 1):
        d.counts[EVALUATED] = 0
        found, most = _best_at(t, d, me, opp, at, pits, best, ply)
        if d.counts[STOPPED]:
            break
        best, value = found, most
        exact = d.counts[EVALUATED] == 0
        if exact:
            break
    return best, value, exact


@jit
def _best_at(
    t: Tables, d: Desk, me: Row, opp: Row, at: Stand, pits: Word, first: Word, depth: Number
) -> Any:
    """Return the pits that are worth most at a depth, those of `first` searched first."""
    best, most = U0, I0 - ENDLESS
    for late in range(2):
        for i in range(12):
            pit = U(11 - i)
            if (pits >> pit) & U1 != U0 and ((first >> pit) & U1 == U0) == (late == 1):
                # One below the best so far, so that an equal move's worth is exact.
                value = worth_of_move(t, d, me, opp, at, pit, depth, most - 1, I0 + ENDLESS)
                if d.counts[STOPPED]:
                    return best, most
                if value > most:
                    best, most = U0, value
                if value == most:
                    best |= U1 << pit
    return best, most


@jit
def pits_by_table(t: Tables, d: Desk, me: Row, opp: Row, at: Stand, pits: Word) -> Any:
    """Return the pits, as bits, that an endgame table says to play, and what they are worth.

    Of those that are worth most, they are the ones that get on: to the end, to fewer seeds, or to
    the smallest stage (see `Endgames`).
    """
    best, most, least = U0, I0 - ENDLESS, I0
    for i in range(12):
        if (pits >> U(i)) & U1 != U0:
            list_moves(t, d, me, opp, at.layout, U1 << U(i), NO_BEST, I0)
            _, me2, opp2, changes, value, reason, _ = made(t, d, me, opp, at, I0, I0)
            to_go = I0
            if reason == GOING_ON:
                value = worth_by_table(t, d, me2, opp2)
                value = -value if changes else value
                left = np.int64(total(me2) + total(opp2))
                to_go = I0 + 1 + (left << 16) + endgame_stage(d.ends, me2, opp2)
            if value > most or (value == most and to_go < least):
                best, most, least = U0, value, to_go
            if value == most and to_go == least:
                best |= U1 << U(i)
    return best, most


@jit
def search_games(
    t: Tables,
    d: Desk,
    s: Any,
    games: Any,
    depth: Number,
    budget: Number,
    only_exact: bool,
    exact: Any,
) -> None:
    """Choose by search in some games of a sitting, a move visiting at most `budget` positions.

    `exact[i]` tells whether the i-th of these games was searched to its end; if not, and
    `only_exact`, nothing is chosen there.
    """
    for i in range(len(games)):
        g = games[i]
        pits, best = s.legal[g], s.legal[g]
        value, looked, known = np.nan, I0, False
        if pits & (pits - U1) != U0 or only_exact:
            me, opp, at = taken_over(t, d, s, g)
            d.counts[NODES], d.counts[BUDGET], d.counts[STOPPED] = 0, budget, 0
            if covered(d.ends, me, opp):
                best, most = pits_by_table(t, d, me, opp, at, pits)
                known = True
            else:
                best, most, known = best_pits(t, d, me, opp, at, pits, depth)
            value, looked = np.float64(most), d.counts[NODES]
            if t.rule.end_when == EMPTY_FIRST:  # a guess is in seeds, that are won by nobody
                value = value / WON if known else np.nan
        exact[i] = known
        if known or not only_exact:
            s.pit[g], s.stream[g] = pick(t, best, s.stream[g])
            s.worth[g], s.nodes[g] = value, looked


@jit
def taken_over(t: Tables, d: Desk, s: Any, g: Number) -> Any:
    """Return where a game of a sitting stands, its positions copied to the search's history."""
    me, opp = mover_rows(t, s, g)
    copy_history(s, g, me, d.history, U0)
    return me, opp, stand_of(s, g)


@jit
def solve_pit(t: Tables, d: Desk, s: Any, pit: Word, guess: Number) -> Any:
    """Return what a first move of a sitting's only game is worth under perfect play.

    Closes in on it from a guess by searches that only ask whether it is more (Plaat, Schaeffer,
    Pijls and de Bruin, Artificial Intelligence 1996). Returns the bounds, equal unless stopped.
    """
    me, opp, at = taken_over(t, d, s, 0)
    low, high, value = I0 - ENDLESS, I0 + ENDLESS, guess
    while low < high:
        bound = max(value, low + 1)
        value = worth_of_move(t, d, me, opp, at, pit, UNLIMITED, bound - 1, bound)
        if d.counts[STOPPED]:
            break
        if value < bound:
            high = value
        else:
            low = value
    return low, high
