"""Games that are played a move at a time by whatever chooses: where they stand, and what follows.

Between moves every game that is not over stands at a choice. Players write their pits, then `move`
makes one move in each game.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernel.choose import stream_of
from sim.kernel.jit import inlined, jit
from sim.kernel.moves import legal, moved
from sim.kernel.names import GOING_ON, NO_MOVE
from sim.kernel.rounds import collected, seen_before
from sim.kernel.rows import U0, U1, Row, U, Word, position_words, put_row_at, row_at, store
from sim.kernel.steps import next_round, opened, settled
from sim.tables import Tables

NONE: Any = np.int64(0)  # a number that is not known when it is compiled, unlike a plain 0


class Sitting(NamedTuple):
    """Where n games stand. Rows take w words, as in `kernel.rows`."""

    rows: NDArray[np.uint64]  # (n * 2w,): the mover's row, then the other one
    layouts: NDArray[np.uint64]  # (n, 2): as `settled` has them, the mover's first
    legal: NDArray[np.uint64]  # (n,): the mover's legal pits as bits, one at least
    player: NDArray[np.int64]  # who is to move
    stream: NDArray[np.uint64]  # each game's own randomness
    opening: NDArray[np.uint64]  # and that of its first plies, which games of other players share
    plies: NDArray[np.int64]  # made in this round
    made: NDArray[np.int64]  # in the whole game
    rounds: NDArray[np.int64]  # ended
    began: NDArray[np.int64]  # who began this round
    closed: NDArray[np.int64]  # (n, 2): pits of players 0 and 1
    seen: NDArray[np.uint64]  # positions in `history` since a seed was last stored
    bloom: NDArray[np.uint64]  # their marks, as in `rounds.seen_before`
    reason: NDArray[np.int64]  # why the game is over, or `GOING_ON`
    moves: NDArray[np.uint8]  # (n, room)
    history: NDArray[np.uint64]  # (n * room * 2w,): positions
    pit: NDArray[np.uint64]  # the choice,
    worth: NDArray[np.float32]  # what it is thought to be worth to the mover, NaN: not known
    nodes: NDArray[np.int64]  # and the positions or simulations that were looked at for it


@inlined
def history_room(s: Sitting, like: Row) -> Word:
    """Return how many positions a game's part of the history holds."""
    return U(s.history.size // (len(position_words(like, like, U0)) * s.player.size))


@inlined
def mover_rows(t: Tables, s: Sitting, g: int) -> Any:
    """Return the rows of the player to move and of the other one in game g."""
    return row_at(t.start[0], s.rows, U(2 * g)), row_at(t.start[0], s.rows, U(2 * g + 1))


@jit
def seat(t: Tables, s: Sitting, key: Word, opening: Word, first: int) -> None:
    """Set all games to their start; their numbers count from `first`."""
    for g in range(s.player.size):
        s.stream[g] = stream_of(key, first + g)
        s.opening[g] = stream_of(opening, first + g)
        s.made[g] = s.rounds[g] = 0
        row0, row1 = t.start
        _begin(t, s, g, row0, row1, U0, U0, NONE)


@jit
def move(t: Tables, s: Sitting, games: Any) -> bool:
    """Make the chosen move in some games.

    Returns whether a game has no room left for another one: the arrays must grow.
    """
    full = False
    like = t.start[0]
    room = history_room(s, like)
    for g in games:
        me, opp = mover_rows(t, s, g)
        mine, other, mover = s.layouts[g, 0], s.layouts[g, 1], s.player[g]
        player = U(mover)
        me2, opp2, cell, _, _, went = moved(t, mine, me, opp, s.pit[g])
        seen, bloom = s.seen[g], s.bloom[g]
        if store(me2) != store(me) or store(opp2) != store(opp):
            seen, bloom = U0, U0
        s.moves[g, s.made[g]] = s.pit[g]
        s.made[g] += 1
        s.plies[g] += 1
        me, opp, changes, _, reason, seen, bloom = settled(
            t, (mine, other), me2, opp2, cell, went, player, s.plies[g], s.history, U(g) * room,
            room, seen, bloom,
        )  # fmt: skip
        if changes:
            mine, other, player = other, mine, player ^ U1
        s.seen[g], s.bloom[g] = seen, bloom
        _stand(s, g, me, opp, mine, other, player)
        if reason == GOING_ON:
            s.legal[g] = legal(t, mine, me, opp)
            if s.legal[g] == U0:
                reason = NO_MOVE
        s.reason[g] = reason
        if reason != GOING_ON:
            _end_round(t, s, g, mover)
        full = full or s.made[g] == s.moves.shape[1] or s.seen[g] == room
    return full


@inlined
def _stand(s: Sitting, g: int, me: Row, opp: Row, mine: Word, other: Word, player: Word) -> None:
    put_row_at(s.rows, U(2 * g), me)
    put_row_at(s.rows, U(2 * g + 1), opp)
    s.layouts[g, 0], s.layouts[g, 1], s.player[g] = mine, other, player


@inlined
def _begin(
    t: Tables, s: Sitting, g: int, row0: Row, row1: Row, closed0: Word, closed1: Word, starter: int
) -> None:
    """Set a game to the start of a round, which may be over at once."""
    me, opp, mine, other, player, reason = opened(t, row0, row1, closed0, closed1, starter)
    s.closed[g, 0], s.closed[g, 1], s.began[g], s.plies[g] = closed0, closed1, player, 0
    s.seen[g], s.bloom[g] = U0, U0
    if t.rule.repeats:
        room = history_room(s, me)
        _, s.bloom[g] = seen_before(s.history, U(g) * room, U0, U0, me, opp, player)
        s.seen[g] = U1
    _stand(s, g, me, opp, mine, other, player)
    if reason == GOING_ON:
        s.legal[g] = legal(t, mine, me, opp)
        if s.legal[g] == U0:
            reason = NO_MOVE
    s.reason[g] = reason


@inlined
def _end_round(t: Tables, s: Sitting, g: int, last: int) -> None:
    """Go on to the match's next round that can be played, if there is one.

    `last` made the match's last move.
    """
    while t.rule.sunog and s.reason[g] != GOING_ON:
        row0, row1 = mover_rows(t, s, g)
        if s.player[g] == 1:
            row0, row1 = row1, row0
        row0, row1 = collected(t, s.reason[g], row0, row1)
        s.rounds[g] += 1
        ended, _, next0, next1, burnt0, burnt1, starter = next_round(
            t, row0, row1, U(s.closed[g, 0]), U(s.closed[g, 1]), s.rounds[g], last, s.began[g]
        )
        if ended != GOING_ON:
            break
        _begin(t, s, g, next0, next1, burnt0, burnt1, starter)
