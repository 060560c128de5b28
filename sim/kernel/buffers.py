"""Where games are written, and what a replay notes of each move."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernel.jit import inlined
from sim.kernel.rows import Row, Word, seeds_at, store


class Buffers(NamedTuple):
    """Where a batch is written; shapes and meaning as in `sim.games.Games`."""

    scores: NDArray[np.int16]
    winner: NDArray[np.int8]
    plies: NDArray[np.int32]
    turns: NDArray[np.int32]
    laps: NDArray[np.int64]
    reason: NDArray[np.int8]
    digest: NDArray[np.uint64]
    rounds: NDArray[np.int32]
    moves: NDArray[np.uint8]
    move_offsets: NDArray[np.int64]
    round_offsets: NDArray[np.int64]
    round_first_player: NDArray[np.int8]
    round_scores: NDArray[np.int16]
    round_winner: NDArray[np.int8]
    round_plies: NDArray[np.int32]
    round_reason: NDArray[np.int8]
    round_burnt: NDArray[np.int8]
    history: NDArray[np.uint64]  # flat: the positions since a seed was last stored


class Notes(NamedTuple):
    """What a replay notes of each move; shapes and meaning as in `sim.games.MoveLog`."""

    round: NDArray[np.int32]
    ply: NDArray[np.int32]
    turn: NDArray[np.int32]
    player: NDArray[np.int8]
    lifted: NDArray[np.int16]
    laps: NDArray[np.int32]
    captured: NDArray[np.int16]
    gained: NDArray[np.int16]
    extra_turn: NDArray[np.bool_]
    legal_moves: NDArray[np.int8]
    store0: NDArray[np.int16]
    store1: NDArray[np.int16]
    bad: NDArray[np.int64]  # a game's first move that is not legal or comes after its end, or -1


@inlined
def note(
    notes: Notes,
    m: int,
    before: Any,
    plies: int,
    player: int,
    me: Row,
    opp: Row,
    me2: Row,
    opp2: Row,
    pit: Word,
    laps: Word,
    captured: Word,
) -> None:
    """Note a move that leads from (me, opp) to (me2, opp2)."""
    notes.round[m], notes.ply[m] = before[0], before[1] + plies + 1
    notes.player[m], notes.laps[m], notes.captured[m] = player, laps, captured
    notes.lifted[m] = seeds_at(me, opp, pit)
    notes.gained[m] = store(me2) - store(me)
    notes.store0[m], notes.store1[m] = store(me2), store(opp2)
    if player == 1:
        notes.store0[m], notes.store1[m] = store(opp2), store(me2)
    notes.extra_turn[m] = False
