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
from sim.kernel.rows import I0, U0, U1, Number, Row, U, Word, position_words, put_row_at, row_at
from sim.kernel.steps import Stand, followed, next_round, opened
from sim.tables import Tables


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


@inlined
def stand_of(s: Sitting, g: Number) -> Stand:
    """Return where the round of game g stands."""
    return Stand(
        s.layouts[g, 0], s.layouts[g, 1], U(s.player[g]), s.plies[g], s.seen[g], s.bloom[g]
    )


@inlined
def copy_history(s: Sitting, g: Number, like: Row, history: Any, base: Word) -> None:
    """Copy the positions of game g since a seed was last stored to entries `base` … elsewhere."""
    words = U(len(position_words(like, like, U0)))
    start = U(g) * history_room(s, like) * words
    for w in range(s.seen[g] * words):
        history[base * words + U(w)] = s.history[start + U(w)]


@jit
def seat(t: Tables, s: Sitting, key: Word, opening: Word, first: int) -> None:
    """Set all games to their start; their numbers count from `first`."""
    for g in range(s.player.size):
        s.stream[g] = stream_of(key, first + g)
        s.opening[g] = stream_of(opening, first + g)
        s.made[g] = s.rounds[g] = 0
        row0, row1 = t.start
        _begin(t, s, g, row0, row1, U0, U0, I0)


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
        at, mover = stand_of(s, g), s.player[g]
        me2, opp2, cell, _, _, went = moved(t, at.layout, me, opp, s.pit[g])
        s.moves[g, s.made[g]] = s.pit[g]
        s.made[g] += 1
        me, opp, _, reason, at = followed(
            t, at, me, opp, me2, opp2, cell, went, s.history, U(g) * room, room
        )
        _stand(t, s, g, me, opp, at, reason)
        if s.reason[g] != GOING_ON:
            _end_round(t, s, g, mover)
        full = full or s.made[g] == s.moves.shape[1] or s.seen[g] == room
    return full


@inlined
def _stand(t: Tables, s: Sitting, g: int, me: Row, opp: Row, at: Stand, reason: int) -> None:
    """Set a game to where its round stands, which is over also where no move is legal."""
    put_row_at(s.rows, U(2 * g), me)
    put_row_at(s.rows, U(2 * g + 1), opp)
    s.layouts[g, 0], s.layouts[g, 1], s.player[g] = at.layout, at.layout2, at.player
    s.plies[g], s.seen[g], s.bloom[g] = at.plies, at.seen, at.bloom
    if reason == GOING_ON:
        s.legal[g] = legal(t, at.layout, me, opp)
        if s.legal[g] == U0:
            reason = NO_MOVE
    s.reason[g] = reason


@inlined
def _begin(
    t: Tables, s: Sitting, g: int, row0: Row, row1: Row, closed0: Word, closed1: Word, starter: int
) -> None:
    """Set a game to the start of a round, which may be over at once."""
    me, opp, mine, other, player, reason = opened(t, row0, row1, closed0, closed1, starter)
    s.closed[g, 0], s.closed[g, 1], s.began[g] = closed0, closed1, player
    seen, bloom = U0, U0
    if t.rule.repeats:
        room = history_room(s, me)
        _, bloom = seen_before(s.history, U(g) * room, U0, U0, me, opp, player)
        seen = U1
    _stand(t, s, g, me, opp, Stand(mine, other, player, I0, seen, bloom), reason)


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
