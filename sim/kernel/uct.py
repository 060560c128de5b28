"""UCT: a tree grown by playing out, in many games at once.

Each of a sitting's games has its own tree, and a lane plays out one game at a time for it: when
that is over, its result is noted in the tree, and the lane begins the next one from there. So the
search of a game is the textbook's, one play after the other (Kocsis and Szepesvári, ECML 2006), and
what plays out are the lanes of `kernel.tick`. A game's search draws from the game's own stream, and
does not depend on the lane or on the games beside it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernel.care import START, Work, begun, by_itself, file_position, part_end, part_start
from sim.kernel.choose import GOLDEN, greedy_pit, mixed, pick
from sim.kernel.jit import inlined, jit
from sim.kernel.moves import NO_PIT, legal, moved
from sim.kernel.names import DRAW, EMPTY_FIRST, GOING_ON, MAX_PLIES, NO_MOVE, OVERFLOW
from sim.kernel.rounds import FILTER_SLOTS, collected, round_winner, stored_words
from sim.kernel.rows import U0, U1, Number, Row, U, Word, position_words, store
from sim.kernel.sitting import history_room, mover_rows
from sim.kernel.state import (
    AT,
    BASE,
    CELL,
    EXTRA,
    FILTER,
    GENERATION,
    LANES,
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
    row_in,
)
from sim.kernel.steps import settled
from sim.kernel.tick import tick
from sim.kernel.tree import (
    FIRST,
    PATH,
    Trees,
    best_children,
    credit,
    grow,
    next_child,
    part_of,
    prove,
    replant,
)
from sim.kernel.vectors import WIDTH, lowest
from sim.tables import Tables

ALL = U((1 << WIDTH) - 1)
NOBODY: Any = np.int64(-1)


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
def search_trees(
    t: Tables, s: Any, games: Any, trees: Trees, reach: Reach, work: Work, wishes: Wishes
) -> None:
    """Choose by UCT in some games of a sitting, each with more than one legal move."""
    positions = U(work.history.size // LANES // len(position_words(t.start[0], t.start[1], U0)))
    room = positions - U1  # behind the last one is slack, which `tick` scribbles on
    work.state[:], work.filters[:] = U0, U0
    given, active, like = FIRST, FIRST, t.start[0]
    reach.busy[:] = 0
    for i in range(LANES):
        lane = U(i)
        work.state[BASE + lane] = lane * positions
        work.state[FILTER + lane] = lane * U(FILTER_SLOTS)
        _stand_idle(t, work, lane)
        reach.game[lane] = NOBODY
        given, active = _supplied(t, s, games, trees, reach, work, wishes, lane, given, active)
    while active > 0:
        for group in range(0, LANES, WIDTH):
            g = U(group)
            waiting = U0
            if reach.busy[group // WIDTH] > 0:
                waiting = tick(t, work.state, g, None, work.history, work.filters, room)
            while waiting != U0:
                lane = g + lowest(waiting)
                waiting &= waiting - U1
                reason = by_itself(t, work, lane, room)
                if reason != GOING_ON:
                    if reach.game[lane] == NOBODY:
                        _stand_idle(t, work, lane)
                    else:
                        me, opp = (
                            row_in(like, work.state, ME + lane),
                            row_in(like, work.state, OPP + lane),
                        )
                        player = work.state[PLAYER + lane]
                        _note_play(t, trees, reach, wishes, lane, me, opp, player, reason)
                        given, active = _supplied(
                            t, s, games, trees, reach, work, wishes, lane, given, active
                        )


@jit
def _stand_idle(t: Tables, work: Work, lane: Word) -> None:
    """Set a lane to a game that is nobody's."""
    work.state[AT + lane] = part_start(work, lane)
    begun(t, work, lane, t.start[0], t.start[1], U0, U0, FIRST)


@jit
def _supplied(
    t: Tables, s: Any, games: Any, trees: Trees, reach: Reach, work: Work, wishes: Wishes,
    lane: Word, given: Number, active: Number,
) -> Any:  # fmt: skip
    """Give a lane a position to play out, for its game or, if that has chosen, for the next one.

    Returns how many games were given to lanes and how many are searched now.
    """
    while True:
        g: Number = reach.game[lane]
        if g == NOBODY:
            if given == len(games):
                _stand_idle(t, work, lane)
                return given, active
            g = np.int64(games[given])
            given, active = given + 1, active + 1
            _take_up(t, s, trees, reach, work, wishes, lane, g)
        root = trees.nodes[part_of(trees, g)]
        if reach.played[lane] < wishes.simulations and not root.proved:
            if _went_down(t, s, trees, reach, work, wishes, lane, g):
                return given, active
        else:
            _choose(t, s, trees, reach, lane, g)
            reach.game[lane] = NOBODY
            reach.busy[lane // U(WIDTH)] -= 1
            active -= 1


@inlined
def _take_up(
    t: Tables, s: Any, trees: Trees, reach: Reach, work: Work, wishes: Wishes, lane: Word, g: Number
) -> None:
    """Begin the search of a game in a lane."""
    reach.game[lane], reach.played[lane] = g, 0
    reach.busy[lane // U(WIDTH)] += 1
    if not wishes.reuse:
        trees.made[g] = -1
    replant(trees, g, s.moves[g], s.made[g], s.rounds[g])
    s.stream[g] += GOLDEN
    work.state[STREAM + lane] = mixed(s.stream[g])
    me, opp = mover_rows(t, s, g)
    words = U(len(position_words(me, opp, U0)))
    base, own = U(g) * history_room(s, me) * words, work.state[BASE + lane] * words
    for w in range(s.seen[g] * words):
        work.history[own + U(w)] = s.history[base + U(w)]


@jit
def _went_down(
    t: Tables, s: Any, trees: Trees, reach: Reach, work: Work, wishes: Wishes, lane: Word, g: Number
) -> bool:
    """Go down a game's tree to a position to be played out, and set the lane to it.

    Where the way ends with the game, that is noted, and False returned.
    """
    part, node, depth = part_of(trees, g), FIRST, FIRST
    me, opp = mover_rows(t, s, g)
    layout, layout2, player = s.layouts[g, 0], s.layouts[g, 1], U(s.player[g])
    plies, seen, bloom = s.plies[g], s.seen[g], s.bloom[g]
    base = work.state[BASE + lane]
    room = U(work.history.size // LANES // len(position_words(me, opp, U0))) - U1
    path, stream = reach.path[lane], work.state[STREAM + lane]
    path[0] = 0
    while depth < PATH - 1:
        here = trees.nodes[part + node]
        if here.child == 0:
            if node != 0 and here.visits == 0:
                break  # the first visit is played out from here
            pits = legal(t, layout, me, opp)
            if pits == U0:
                return _note_end(t, trees, reach, wishes, lane, depth, me, opp, player, NO_MOVE)
            if not grow(trees, g, node, pits, np.int64(player)):
                break
        child, stream = next_child(t, trees, part, node, wishes.c, stream)
        depth += 1
        path[depth] = child
        node = child
        below = trees.nodes[part + child]
        if below.proved:
            reach.length[lane] = depth + 1
            work.state[STREAM + lane] = stream
            credit(trees, part, path, depth + 1, below.mover, below.mean)
            reach.played[lane] += 1
            return False
        me2, opp2, cell, _, _, went = moved(t, layout, me, opp, U(below.pit))
        if store(me2) != store(me) or store(opp2) != store(opp):
            seen, bloom = U0, U0
        plies += 1
        me, opp, changes, _, reason, seen, bloom = settled(
            t, (layout, layout2), me2, opp2, cell, went, player, plies, work.history, base, room,
            seen, bloom,
        )  # fmt: skip
        if changes:
            layout, layout2, player = layout2, layout, player ^ U1
        if reason != GOING_ON:
            work.state[STREAM + lane] = stream
            return _note_end(t, trees, reach, wishes, lane, depth, me, opp, player, reason)
    reach.length[lane] = depth + 1
    if wishes.greedy:
        me, opp, player, reason, stream = played_greedily(
            t,
            me,
            opp,
            layout,
            layout2,
            player,
            plies,
            seen,
            bloom,
            work.history,
            base,
            room,
            stream,
        )
        work.state[STREAM + lane] = stream
        _note_play(t, trees, reach, wishes, lane, me, opp, player, reason)
        return False
    work.state[STREAM + lane] = stream
    _set_lane(t, work, lane, me, opp, layout, layout2, player, plies, seen)
    return True


@inlined
def _set_lane(
    t: Tables, work: Work, lane: Word, me: Row, opp: Row, layout: Word, layout2: Word,
    player: Word, plies: Number, seen: Word,
) -> None:  # fmt: skip
    """Set a lane to a position in the middle of a round."""
    s, start = work.state, part_start(work, lane)
    put_row(s, ME + lane, me)
    put_row(s, OPP + lane, opp)
    s[LAYOUT + lane], s[LAYOUT2 + lane], s[PLAYER + lane] = layout, layout2, player
    s[CELL + lane], s[MOVE_LAPS + lane], s[EXTRA + lane], s[SEEN + lane] = NO_PIT, U0, U0, seen
    s[AT + lane] = start
    s[LIMIT + lane] = min(start + U(t.rule.max_plies - plies), part_end(work, lane))
    work.desk[lane, START] = np.int64(start) - plies
    s[GENERATION + lane] += U1
    if t.rule.repeats:
        for i in range(seen):
            file_position(work, lane, stored_words(me, work.history, s[BASE + lane] + U(i)))


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


@jit
def _note_play(
    t: Tables, trees: Trees, reach: Reach, wishes: Wishes, lane: Word, me: Row, opp: Row,
    player: Word, reason: Number,
) -> None:  # fmt: skip
    """Note how a play that began at the end of a path has ended."""
    part = part_of(trees, reach.game[lane])
    reward = _reward(t, wishes, reason, me, opp)
    credit(trees, part, reach.path[lane], reach.length[lane], np.int64(player), reward)
    reach.played[lane] += 1


@jit
def played_greedily(
    t: Tables, me: Row, opp: Row, layout: Word, layout2: Word, player: Word, plies: Number,
    seen: Word, bloom: Word, history: Any, base: Word, room: Word, stream: Word,
) -> Any:  # fmt: skip
    """Play a round to its end by greedy moves, one seed more for an extra turn, ties drawn.

    Returns the rows of the player then to move and of the other, that player, why the round is
    over, and the stream.
    """
    reason = GOING_ON
    while reason == GOING_ON:
        pits = legal(t, layout, me, opp)
        if pits == U0:
            return me, opp, player, NO_MOVE, stream
        pit, stream = greedy_pit(t, (layout, layout2), me, opp, pits, stream, False, True, False)
        me2, opp2, cell, _, _, went = moved(t, layout, me, opp, pit)
        if store(me2) != store(me) or store(opp2) != store(opp):
            seen, bloom = U0, U0
        plies += 1
        me, opp, changes, _, reason, seen, bloom = settled(
            t, (layout, layout2), me2, opp2, cell, went, player, plies, history, base, room, seen,
            bloom,
        )  # fmt: skip
        if changes:
            layout, layout2, player = layout2, layout, player ^ U1
    return me, opp, player, reason, stream


@inlined
def _choose(t: Tables, s: Any, trees: Trees, reach: Reach, lane: Word, g: Number) -> None:
    """Choose what the tree of a game says."""
    mask, worth = best_children(trees, part_of(trees, g))
    s.pit[g], s.stream[g] = pick(t, mask, s.stream[g])
    s.worth[g], s.nodes[g] = worth, reach.played[lane]
