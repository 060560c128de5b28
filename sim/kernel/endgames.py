"""Endgame tables as compiled code reads them: the value of a position with few seeds in its rows.

Positions are numbered by the combinatorial number system (D. E. Knuth, TAOCP 4A, 7.2.1.3): with
P(i) the seeds in the first i + 1 of all n pits, the mover's row first, a position's place is the
sum over i = 0 … n - 1 of C(P(i) + i, i + 1). The last term counts the positions with fewer seeds,
so that one flat array holds all levels, those with fewer seeds first.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernel.jit import inlined
from sim.kernel.rows import U0, Row, U, Word, running, seeds_at, total


class Endgames(NamedTuple):
    """The value of every position with at most `seeds` seeds in the rows.

    A value is for the player to move: own future seeds minus the opponent's under perfect play,
    play without end worth 0; under `empty-first`, 1 for a win, 0 for a draw, -1 for a loss.

    A *stage* orders the positions of one level that are not worth 0. Whoever is better there, and
    plays a move that keeps the value and leads to fewer seeds, to the round's end or, where no such
    move is, to the smallest stage of all that keep it, never moves in circles.
    """

    values: NDArray[np.int8]  # (positions,)
    stages: NDArray[np.uint16]  # (positions,): saturating; 0 where the value is 0
    binomials: NDArray[np.uint64]  # (2 * pits, seeds + 2): [i, k] is C(k + i, i + 1)

    @property
    def seeds(self) -> int:
        """The most seeds in the rows that are covered; -1: no position is."""
        return int(self.binomials.shape[1]) - 2

    @property
    def offsets(self) -> NDArray[np.uint64]:
        """Where each level begins, and where the last one ends, shape (seeds + 2,)."""
        row: NDArray[np.uint64] = self.binomials[-1]
        return row


NO_ENDGAMES = Endgames(np.zeros(0, np.int8), np.zeros(0, np.uint16), np.zeros((2, 1), np.uint64))
"""Covers no position: for a search without tables."""


@inlined
def covered(e: Endgames, me: Row, opp: Row) -> Any:
    """Whether a position is in the table."""
    return total(me) + total(opp) + U(1) < U(e.binomials.shape[1])


@inlined
def place(e: Endgames, me: Row, opp: Row) -> Word:
    """Return a covered position's place in the arrays; the stores do not count."""
    mine, other, before = running(me), running(opp), total(me)
    pits = U(e.binomials.shape[0] >> 1)
    index = U0
    for i in range(pits):
        index += e.binomials[i, seeds_at(mine, mine, i)]
    for i in range(pits):
        index += e.binomials[pits + i, before + seeds_at(other, other, i)]
    return index


@inlined
def endgame_value(e: Endgames, me: Row, opp: Row) -> Any:
    """Return the value of a covered position for the player to move, whose row is `me`."""
    return np.int64(e.values[place(e, me, opp)])


@inlined
def endgame_stage(e: Endgames, me: Row, opp: Row) -> Any:
    """Return the stage of a covered position."""
    return np.int64(e.stages[place(e, me, opp)])
