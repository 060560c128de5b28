"""Where the games that are played in step stand: a number for each field and lane.

One flat array holds field after field, `LANES` numbers each, so that a field of neighbouring
lanes is loaded at once, and a lane's field is found by an addition.
"""

from typing import Any

import numpy as np
from numba import types

from sim.kernel.jit import chosen_by_type
from sim.kernel.rows import Row, Word
from sim.kernel.vectors import WIDTH, load, save

GROUPS = 4
LANES = GROUPS * WIDTH

U = np.uint64
# Before the move that is being made: rows (two words each on a wide board), the other numbers as
# `play_round` has them.
ME, OPP, STREAM, PLAYER, LAYOUT, LAYOUT2 = (U(i * LANES) for i in (0, 2, 4, 5, 6, 7))
TURNS, LAPS, DIGEST, SEEN, GENERATION = (U(i * LANES) for i in range(8, 13))
AT, LIMIT, BASE, EXTRA, FILTER, MOVER = (U(i * LANES) for i in range(13, 19))
# In the middle of a relay: the rows now, the pit that is lifted next (`NO_PIT` between moves), and
# the laps of this move so far.
NOW_ME, NOW_OPP, CELL, MOVE_LAPS = (U(i * LANES) for i in (19, 21, 23, 24))
FIELDS = 25


def load_row(like: Row, state: Any, place: Word) -> Row:
    """Return the rows at a place in neighbouring lanes, of the width of `like`."""
    raise NotImplementedError


@chosen_by_type(load_row)
def _load_row(like: Any, state: Any, place: Any) -> Any:
    def narrow(like: Any, state: Any, place: Any) -> Any:
        return load(state, place)

    def wide(like: Any, state: Any, place: Any) -> Any:
        return (load(state, place), load(state, place + U(LANES)))

    return wide if isinstance(like, types.BaseTuple) else narrow


def save_row(state: Any, place: Word, row: Row) -> None:
    """Write rows to a place in neighbouring lanes."""
    raise NotImplementedError


@chosen_by_type(save_row)
def _save_row(state: Any, place: Any, row: Any) -> Any:
    def narrow(state: Any, place: Any, row: Any) -> Any:
        save(state, place, row)

    def wide(state: Any, place: Any, row: Any) -> Any:
        save(state, place, row[0])
        save(state, place + U(LANES), row[1])

    return wide if isinstance(row, types.BaseTuple) else narrow


def row_in(like: Row, state: Any, place: Word) -> Row:
    """Return the row at a place in one lane, of the width of `like`."""
    raise NotImplementedError


@chosen_by_type(row_in)
def _row_in(like: Any, state: Any, place: Any) -> Any:
    def narrow(like: Any, state: Any, place: Any) -> Any:
        return state[place]

    def wide(like: Any, state: Any, place: Any) -> Any:
        return (state[place], state[place + U(LANES)])

    return wide if isinstance(like, types.BaseTuple) else narrow


def put_row(state: Any, place: Word, row: Row) -> None:
    """Write a row to a place in one lane."""
    raise NotImplementedError


@chosen_by_type(put_row)
def _put_row(state: Any, place: Any, row: Any) -> Any:
    def narrow(state: Any, place: Any, row: Any) -> Any:
        state[place] = row

    def wide(state: Any, place: Any, row: Any) -> Any:
        state[place] = row[0]
        state[place + U(LANES)] = row[1]

    return wide if isinstance(row, types.BaseTuple) else narrow
