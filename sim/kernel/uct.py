"""UCT: a tree grown by playing out, in many games at once.

Each of a sitting's games has its own tree, and a lane plays out one game at a time for it: when
that is over, its result is noted in the tree, and the lane begins the next one from there. So the
search of a game is the textbook's, one play after the other (Kocsis and Szepesvári, ECML 2006), and
what plays out are the lanes of `kernel.tick`. A game's search draws from the game's own stream, and
does not depend on the lane or on the games beside it.
"""

from typing import Any

import numpy as np

from sim.kernel.care import NOBODY, Work, begun, by_itself, history_part, part_start
from sim.kernel.choose import GOLDEN, mixed, pick
from sim.kernel.descent import Reach, Wishes, note_play, went_down
from sim.kernel.jit import inlined, jit
from sim.kernel.names import GOING_ON
from sim.kernel.rounds import FILTER_SLOTS
from sim.kernel.rows import I0, U0, U1, Number, U, Word
from sim.kernel.sitting import copy_history
from sim.kernel.state import AT, BASE, FILTER, LANES, ME, OPP, PLAYER, STREAM, row_in
from sim.kernel.tick import tick
from sim.kernel.tree import Trees, best_children, part_of, replant
from sim.kernel.vectors import WIDTH, lowest
from sim.tables import Tables


@jit
def search_trees(
    t: Tables, s: Any, games: Any, trees: Trees, reach: Reach, work: Work, wishes: Wishes
) -> None:
    """Choose by UCT in some games of a sitting, each with more than one legal move."""
    positions = history_part(work, t.start[0])
    room = positions - U1  # behind the last one is slack, which `tick` scribbles on
    work.state[:], work.filters[:] = U0, U0
    given, active, like = I0, I0, t.start[0]
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
                        me = row_in(like, work.state, ME + lane)
                        opp = row_in(like, work.state, OPP + lane)
                        player = work.state[PLAYER + lane]
                        note_play(t, trees, reach, wishes, lane, me, opp, player, reason)
                        given, active = _supplied(
                            t, s, games, trees, reach, work, wishes, lane, given, active
                        )


@jit
def _stand_idle(t: Tables, work: Work, lane: Word) -> None:
    """Set a lane to a game that is nobody's."""
    work.state[AT + lane] = part_start(work, lane)
    begun(t, work, lane, t.start[0], t.start[1], U0, U0, I0)


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
            if went_down(t, s, trees, reach, work, wishes, lane, g):
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
    copy_history(s, g, t.start[0], work.history, work.state[BASE + lane])


@inlined
def _choose(t: Tables, s: Any, trees: Trees, reach: Reach, lane: Word, g: Number) -> None:
    """Choose what the tree of a game says."""
    mask, worth = best_children(trees, part_of(trees, g))
    s.pit[g], s.stream[g] = pick(t, mask, s.stream[g])
    s.worth[g], s.nodes[g] = worth, reach.played[lane]
