"""One play of a UCT search: down a tree, out to the end of the game, and what is noted of it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernel.care import START, Work, file_position, history_part, part_end, part_start
from sim.kernel.choose import greedy_pit
from sim.kernel.jit import inlined, jit
from sim.kernel.moves import NO_PIT, legal, moved
from sim.kernel.names import DRAW, EMPTY_FIRST, GOING_ON, MAX_PLIES, NO_MOVE, OVERFLOW
from sim.kernel.rounds import collected, round_winner, stored_words
from sim.kernel.rows import I0, U0, U1, Number, Row, U, Word, store
from sim.kernel.sitting import mover_rows, stand_of
from sim.kernel.state import (
    AT,
    BASE,
    CELL,
    EXTRA,
    GENERATION,
    LAYOUT,
    LAYOUT2,
    LIMIT,
    ME,
    MOVE_LAPS,
    OPP,
    PLAYER,
    SEEN,
    STREAM,
    put_row,
)
from sim.kernel.steps import Stand, followed
from sim.kernel.tree import PATH, Trees, credit, grow, next_child, part_of, prove
from sim.tables import Tables


class Wishes(NamedTuple):
    """What a search is to do: options of the player, and numbers that follow from the rules."""

    simulations: Number
    c: float
    greedy: bool  # plays out greedily, each play in one go
    by_margin: bool
    reuse: bool
    seeds: float  # on the board


class Reach(NamedTuple):
    """What each lane is at."""

    game: NDArray[np.int64]  # (LANES,): the game it searches for, or `NOBODY`
    played: NDArray[np.int64]  # (LANES,): plays of this search that are over
    path: NDArray[np.int32]  # (LANES, PATH): the nodes gone down
    length: NDArray[np.int64]  # (LANES,): how many
    busy: NDArray[np.int64]  # (GROUPS,): lanes of each group that search


@jit
def went_down(
    t: Tables, s: Any, trees: Trees, reach: Reach, work: Work, wishes: Wishes, lane: Word, g: Number
) -> bool:
    """Go down a game's tree to a position to be played out, and set the lane to it.

    Where the play is over by then, its result is noted, and False returned.
    """
    part, node, depth = part_of(trees, g), I0, I0
    me, opp = mover_rows(t, s, g)
    at = stand_of(s, g)
    base, room = work.state[BASE + lane], history_part(work, me) - U1
    path, stream = reach.path[lane], work.state[STREAM + lane]
    path[0] = 0
    while depth < PATH - 1:
        here = trees.nodes[part + node]
        if here.child == 0:
            if node != 0 and here.visits == 0:
                break  # the first visit is played out from here
            pits = legal(t, at.layout, me, opp)
            if pits == U0:
                return _note_end(t, trees, reach, wishes, lane, depth, me, opp, at.player, NO_MOVE)
            if not grow(trees, g, node, pits, np.int64(at.player)):
                break
        node, stream = next_child(t, trees, part, node, wishes.c, stream)
        depth += 1
        path[depth] = node
        below = trees.nodes[part + node]
        if below.proved:
            work.state[STREAM + lane] = stream
            credit(trees, part, path, depth + 1, below.mover, below.mean)
            reach.played[lane] += 1
            return False
        me2, opp2, cell, _, _, went = moved(t, at.layout, me, opp, U(below.pit))
        me, opp, _, reason, at = followed(
            t, at, me, opp, me2, opp2, cell, went, work.history, base, room
        )
        if reason != GOING_ON:
            work.state[STREAM + lane] = stream
            return _note_end(t, trees, reach, wishes, lane, depth, me, opp, at.player, reason)
    reach.length[lane] = depth + 1
    if wishes.greedy:
        me, opp, player, reason, stream = played_greedily(
            t, me, opp, at, work.history, base, room, stream
        )
        work.state[STREAM + lane] = stream
        note_play(t, trees, reach, wishes, lane, me, opp, player, reason)
        return False
    work.state[STREAM + lane] = stream
    _set_lane(t, work, lane, me, opp, at)
    return True


@inlined
def _set_lane(t: Tables, work: Work, lane: Word, me: Row, opp: Row, at: Stand) -> None:
    """Set a lane to a position in the middle of a round."""
    s, start = work.state, part_start(work, lane)
    put_row(s, ME + lane, me)
    put_row(s, OPP + lane, opp)
    s[LAYOUT + lane], s[LAYOUT2 + lane], s[PLAYER + lane] = at.layout, at.layout2, at.player
    s[CELL + lane], s[MOVE_LAPS + lane], s[EXTRA + lane], s[SEEN + lane] = NO_PIT, U0, U0, at.seen
    s[AT + lane] = start
    s[LIMIT + lane] = min(start + U(t.rule.max_plies - at.plies), part_end(work, lane))
    work.desk[lane, START] = np.int64(start) - at.plies
    s[GENERATION + lane] += U1
    if t.rule.repeats:
        for i in range(at.seen):
            file_position(work, lane, stored_words(me, work.history, s[BASE + lane] + U(i)))


@jit
def played_greedily(
    t: Tables, me: Row, opp: Row, at: Stand, history: Any, base: Word, room: Word, stream: Word
) -> Any:
    """Play a round to its end by greedy moves, one seed more for an extra turn, ties drawn.

    Returns the rows of the player then to move and of the other, that player, why the round is
    over, and the stream.
    """
    reason = GOING_ON
    while reason == GOING_ON:
        pits = legal(t, at.layout, me, opp)
        if pits == U0:
            return me, opp, at.player, NO_MOVE, stream
        layouts = at.layout, at.layout2
        pit, stream = greedy_pit(t, layouts, me, opp, pits, stream, False, True, False)
        me2, opp2, cell, _, _, went = moved(t, at.layout, me, opp, pit)
        me, opp, _, reason, at = followed(
            t, at, me, opp, me2, opp2, cell, went, history, base, room
        )
    return me, opp, at.player, reason, stream


@jit
def note_play(
    t: Tables, trees: Trees, reach: Reach, wishes: Wishes, lane: Word, me: Row, opp: Row,
    player: Word, reason: Number,
) -> None:  # fmt: skip
    """Note how a play that began at the end of a path has ended."""
    part = part_of(trees, reach.game[lane])
    reward = _reward(t, wishes, reason, me, opp)
    credit(trees, part, reach.path[lane], reach.length[lane], np.int64(player), reward)
    reach.played[lane] += 1


@inlined
def _note_end(
    t: Tables, trees: Trees, reach: Reach, wishes: Wishes, lane: Word, depth: Number, me: Row,
    opp: Row, player: Word, reason: Number,
) -> bool:  # fmt: skip
    """Note that the game is over at the end of a path: that position is proved. Returns False."""
    part, path = part_of(trees, reach.game[lane]), reach.path[lane]
    last = trees.nodes[part + path[depth]]
    reward = _reward(t, wishes, reason, me, opp)
    last.proved, last.visits = 1, 1
    last.mean = reward if np.int64(last.mover) == np.int64(player) else 1.0 - reward
    credit(trees, part, path, depth + 1, last.mover, last.mean)
    prove(trees, part, path, depth + 1)
    reach.played[lane] += 1
    return False


@inlined
def _reward(t: Tables, wishes: Wishes, reason: Number, me: Row, opp: Row) -> float:
    """Return what the end of a round is worth to the player whose row is `me`."""
    if reason == OVERFLOW:  # a play that is too long is broken off like one at the bound
        reason = MAX_PLIES
    me, opp = collected(t, reason, me, opp)
    if wishes.by_margin and t.rule.end_when != EMPTY_FIRST:
        return 0.5 + (np.float64(store(me)) - np.float64(store(opp))) / (2.0 * wishes.seeds)
    winner = round_winner(t, reason, me, opp)
    return 0.5 if winner == DRAW else (1.0 if winner == 0 else 0.0)
