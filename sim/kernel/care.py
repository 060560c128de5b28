"""What a lane does on its own: begin a round, and make a move that needs care."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernel.choose import digested, random_move
from sim.kernel.jit import inlined
from sim.kernel.moves import NO_PIT
from sim.kernel.names import NO_MOVE, OVERFLOW
from sim.kernel.rounds import current, filing, seen_before
from sim.kernel.rows import U0, U1, U32, Row, Word, position_words, store
from sim.kernel.state import (
    AT,
    BASE,
    CELL,
    DIGEST,
    EXTRA,
    FILTER,
    GENERATION,
    LANES,
    LAPS,
    LAYOUT,
    LAYOUT2,
    LIMIT,
    ME,
    MOVE_LAPS,
    MOVER,
    OPP,
    PLAYER,
    SEEN,
    STREAM,
    TURNS,
    U,
    put_row,
    row_in,
)
from sim.kernel.steps import opened, settled
from sim.tables import Tables

# The columns of `Work.desk`: the game's number in the batch or `NOBODY`, its rounds and plies
# before this round, who began the round, how many pits of each player are closed, and where the
# round's moves begin.
GAME, ROUNDS, PLIES, BEGAN, CLOSED0, CLOSED1, START = range(7)
DESK, NOTE = 7, 12
NOBODY: Any = np.int64(-1)  # the game of a lane that has none
SLACK = U(64)  # moves of a lane's part of `Work.moves` that are none's


class Work(NamedTuple):
    """Room for a batch that is played in lanes."""

    state: NDArray[np.uint64]  # as in `kernel.state`
    desk: NDArray[np.int64]  # (LANES, DESK): what else a lane knows of its game
    moves: NDArray[np.uint8]  # the moves of each lane's games, a part for each lane
    history: NDArray[np.uint64]  # as in `Buffers`, a part for each lane
    filters: NDArray[np.uint64]  # which positions a lane's history may have: see `rounds.filing`
    ended: NDArray[np.int64]  # (rounds, NOTE): the rounds in the order of their ends
    counts: NDArray[np.int64]  # games begun, lanes that play one, rounds ended, games to keep


@inlined
def begun(
    t: Tables,
    work: Work,
    lane: Word,
    row0: Row,
    row1: Row,
    closed0: Word,
    closed1: Word,
    starter: int,
) -> Any:
    """Set a lane to the start of a round; return why it is over at once, or `GOING_ON`."""
    s, desk = work.state, work.desk
    me, opp, layout, layout2, player, reason = opened(t, row0, row1, closed0, closed1, starter)
    put_row(s, ME + lane, me)
    put_row(s, OPP + lane, opp)
    s[LAYOUT + lane], s[LAYOUT2 + lane], s[PLAYER + lane] = layout, layout2, player
    s[CELL + lane], s[MOVE_LAPS + lane], s[EXTRA + lane], s[SEEN + lane] = NO_PIT, U0, U0, U0
    s[GENERATION + lane] += U1
    if t.rule.repeats:
        seen_before(work.history, s[BASE + lane], U0, U0, me, opp, player)
        s[SEEN + lane] = U1
        file_position(work, lane, position_words(me, opp, player))
    s[LIMIT + lane] = min(s[AT + lane] + U(t.rule.max_plies), part_end(work, lane))
    desk[lane, BEGAN], desk[lane, START] = player, s[AT + lane]
    desk[lane, CLOSED0], desk[lane, CLOSED1] = closed0, closed1
    return reason


@inlined
def by_itself(t: Tables, work: Work, lane: Word, room: Word) -> Any:
    """Make a lane's move by the code for one game; return why its round ends, or `GOING_ON`."""
    s, desk = work.state, work.desk
    me, opp = row_in(t.start[0], s, ME + lane), row_in(t.start[0], s, OPP + lane)
    player, place, seen = s[PLAYER + lane], s[AT + lane], s[SEEN + lane]
    layout, layout2 = s[LAYOUT + lane], s[LAYOUT2 + lane]
    s[CELL + lane], s[MOVE_LAPS + lane] = NO_PIT, U0
    if place == part_end(work, lane):
        return OVERFLOW
    pit, me2, opp2, cell, laps, _, went, stream = random_move(t, layout, me, opp, s[STREAM + lane])
    s[STREAM + lane] = stream
    if pit == NO_PIT:
        return NO_MOVE
    work.moves[place], s[AT + lane] = pit, place + U1
    s[LAPS + lane] += laps
    s[DIGEST + lane] = digested(s[DIGEST + lane], pit)
    s[MOVER + lane] = player
    if store(me2) != store(me) or store(opp2) != store(opp):
        seen = U0
        s[GENERATION + lane] += U1
    plies = np.int64(place + U1) - desk[lane, START]
    me, opp, changes, extra, reason, seen, _ = settled(
        t, (layout, layout2), me2, opp2, cell, went, player, plies, work.history, s[BASE + lane],
        room, seen, ~U0,
    )  # fmt: skip
    put_row(s, ME + lane, me)
    put_row(s, OPP + lane, opp)
    if changes:
        player = player ^ U1
        s[LAYOUT + lane], s[LAYOUT2 + lane] = layout2, layout
    s[PLAYER + lane], s[SEEN + lane] = player, seen
    if t.rule.repeats:
        file_position(work, lane, position_words(me, opp, player))
    s[TURNS + lane] += s[EXTRA + lane] ^ U1
    s[EXTRA + lane] = U1 if extra else U0
    return reason


@inlined
def part_start(work: Work, lane: Word) -> Word:
    """Return where a lane's part of `Work.moves` begins."""
    return lane * U(work.moves.size // LANES)


@inlined
def part_end(work: Work, lane: Word) -> Word:
    """Return where what a lane's part can hold ends: behind it `tick` writes what is no move."""
    return part_start(work, lane + U1) - SLACK


@inlined
def history_part(work: Work, like: Row) -> Word:
    """Return how many positions a lane's part of `Work.history` holds."""
    return U(work.history.size // LANES // len(position_words(like, like, U0)))


@inlined
def file_position(work: Work, lane: Word, words: Any) -> None:
    """Mark a position in a lane's filter."""
    slot, mark = filing(words)
    slot += work.state[FILTER + lane]
    generation = work.state[GENERATION + lane]
    work.filters[slot] = (generation << U32) | current(work.filters[slot], generation) | mark
