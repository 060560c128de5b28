"""Between the rounds of a match: refilling, burnt pits, who begins, and the match's end."""

from typing import Any

from sim.kernel.jit import inlined
from sim.kernel.names import (
    BURNT_OUT,
    GOING_ON,
    LAST_MOVER,
    LOSER,
    MAX_ROUNDS,
    UNBURNT,
    WINNER,
)
from sim.kernel.rounds import larger
from sim.kernel.rows import Row, U, Word, banked, row_at, store
from sim.tables import Tables


@inlined
def refilled(t: Tables, row: Row, closed: Word) -> Any:
    """Fill a row's pits from its store for the next round; return it and how many stay closed."""
    open_pits = t.rule.pits if t.rule.reopen else t.rule.pits - closed
    seeds = store(row)
    filled = min(open_pits, seeds // t.rule.refill)
    fresh = row_at(row, t.filled, U(filled))
    return banked(fresh, seeds - filled * t.rule.refill), t.rule.pits - filled


@inlined
def match_end(t: Tables, burnt0: Word, burnt1: Word, rounds: int) -> int:
    """Return why a match ends after so many rounds, or `GOING_ON`."""
    if burnt0 == t.rule.pits or burnt1 == t.rule.pits:
        return BURNT_OUT
    return MAX_ROUNDS if rounds == t.rule.max_rounds else GOING_ON


@inlined
def match_winner(t: Tables, row0: Row, row1: Row, burnt0: Word, burnt1: Word) -> int:
    """Return who has won: the one who could still fill a pit, else the larger store, or `DRAW`."""
    if burnt0 == t.rule.pits and burnt1 != t.rule.pits:
        return 1
    if burnt1 == t.rule.pits and burnt0 != t.rule.pits:
        return 0
    return larger(store(row0), store(row1))


@inlined
def next_starter(
    t: Tables, row0: Row, row1: Row, burnt0: Word, burnt1: Word, last: int, began: int
) -> int:
    """Return who begins the next round; a tie alternates with who began the last.

    `row0` and `row1` are those at the last round's end, all seeds in their stores; `last` is who
    made the match's last move.
    """
    score0, score1 = store(row0), store(row1)
    if t.rule.starter == LAST_MOVER:
        return last
    if t.rule.starter == UNBURNT and burnt0 != burnt1:
        return 0 if burnt0 < burnt1 else 1
    if t.rule.starter == WINNER and score0 != score1:
        return 0 if score0 > score1 else 1
    if t.rule.starter == LOSER and score0 != score1:
        return 0 if score0 < score1 else 1
    return 1 - began
