"""Many games of random players in step: the batch's loop, and what a lane does on its own.

A processor waits for one game's chain of look-ups and guesses its branches wrong; over several games
the waits overlap and the common move has no branch to guess. What is uncommon is left to the code
for one game: a lane that needs care makes its move with `random_move` and `settled`. Games are
functions of their key and number, so it makes no odds in which lane one is played, or when.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernel.buffers import Buffers
from sim.kernel.choose import DIGEST_SEED, digested, mixed, random_move, stream_of
from sim.kernel.jit import inlined, jit
from sim.kernel.moves import NO_PIT
from sim.kernel.names import DRAW, GOING_ON, NO_MOVE, OVERFLOW
from sim.kernel.rounds import collected, judged, round_winner, seen_before
from sim.kernel.rows import U0, U1, Word, position_words, store
from sim.kernel.state import (
    AT,
    BASE,
    BLOOM,
    CELL,
    DIGEST,
    EXTRA,
    LANES,
    LAPS,
    LAYOUT,
    LAYOUT2,
    LIMIT,
    ME,
    MOVE_LAPS,
    OPP,
    PLAYER,
    SEEN,
    STREAM,
    TURNS,
    WIDTH,
    U,
    put_row,
    row_in,
)
from sim.kernel.steps import layout_of, next_round, settled
from sim.kernel.tick import tick
from sim.tables import Tables

NOBODY: Any = np.int64(-1)


class Work(NamedTuple):
    """Room for a batch that is played in lanes."""

    state: NDArray[np.uint64]  # as in `kernel.state`
    desk: NDArray[np.int64]  # (LANES, 8): what a lane knows of its game; see `GAME` and the others
    moves: NDArray[np.uint8]  # (lanes * stride): the moves of each lane's games
    history: NDArray[np.uint64]  # as in `Buffers`, a part for each lane
    ended: NDArray[np.int64]  # (rounds, 12): the rounds in the order of their ends


# The columns of `desk`: the game's number in the batch (-1: none), its rounds and plies so far, who
# began this round, who made the game's last move, pits closed in this round, where its moves begin.
GAME, ROUNDS, PLIES, BEGAN, LAST_MOVER, CLOSED0, CLOSED1, START = range(8)


@jit
def play_in_step(t: Tables, key: Word, first: int, count: int, out: Buffers, work: Work) -> int:
    """Do for two random players what `play_games` does."""
    s, desk, ended = work.state, work.desk, work.ended
    like = t.start[0]
    stride = work.moves.size // LANES
    room = U(work.history.size // LANES // len(position_words(like, like, U0)))
    taken = active = rounds = np.int64(0)  # games begun, lanes that play one, rounds ended
    done = np.int64(count)
    starting = True
    s[:] = U0
    for lane in range(LANES):
        desk[lane, GAME] = NOBODY
        s[AT + U(lane)] = lane * stride
        s[BASE + U(lane)] = U(lane) * room
    while starting or active > 0:
        for g in range(U0, U(LANES), U(WIDTH)):
            if starting:
                waiting = U((1 << WIDTH) - 1)
            else:
                waiting = tick(t, s, g, work.moves, work.history, room)
            while waiting != U0:
                lane = g
                while (waiting >> (lane - g)) & U1 == U0:
                    lane += U1
                waiting &= waiting - U1
                game = desk[lane, GAME]
                reason = GOING_ON
                if game >= 0:
                    reason = by_itself(t, s, desk, lane, work.moves, work.history, room, stride)
                    if reason == GOING_ON:
                        continue
                # The lane's round is over, or it has no game: on to the next that can be played.
                while True:
                    row0 = row1 = t.start[0]
                    closed0 = closed1 = U0
                    starter = np.int64(0)
                    if game >= 0:
                        row0, row1 = row_in(like, s, ME + lane), row_in(like, s, OPP + lane)
                        if s[PLAYER + lane] != U0:
                            row0, row1 = row1, row0
                        winner = np.int64(DRAW)
                        played = desk[lane, PLIES] > 0 or s[AT + lane] > desk[lane, START]
                        if reason >= 0:
                            row0, row1 = collected(t, reason, row0, row1)
                            winner = np.int64(round_winner(t, reason, row0, row1))
                        if rounds == ended.shape[0]:
                            reason = OVERFLOW
                        if reason >= 0 and played:
                            write_round(ended, rounds, desk, lane, s, store(row0), store(row1), winner, reason)
                            rounds += 1
                            desk[lane, ROUNDS] += 1
                            desk[lane, PLIES] += np.int64(s[AT + lane]) - desk[lane, START]
                        over = True
                        if reason >= 0 and played and t.rule.sunog:
                            why, victor, next0, next1, closed0, closed1, starter = next_round(
                                t, row0, row1, U(desk[lane, CLOSED0]), U(desk[lane, CLOSED1]),
                                desk[lane, ROUNDS], desk[lane, LAST_MOVER], desk[lane, BEGAN],
                            )  # fmt: skip
                            over = why != GOING_ON
                            if over:
                                reason, winner = why, victor
                            else:
                                row0, row1 = next0, next1
                        if over:
                            if reason < 0:
                                done = min(done, game)
                            out.scores[game, 0], out.scores[game, 1] = store(row0), store(row1)
                            out.winner[game], out.reason[game] = winner, reason
                            out.rounds[game], out.plies[game] = desk[lane, ROUNDS], desk[lane, PLIES]
                            laps = s[LAPS + lane] if t.rule.relay else U(desk[lane, PLIES])
                            out.turns[game], out.laps[game] = s[TURNS + lane], laps
                            out.digest[game] = mixed(s[DIGEST + lane])
                            game = NOBODY
                            active -= 1
                    if game < 0:
                        fits = s[AT + lane] < lane * U(stride) + U(stride // 2)
                        row0, row1 = t.start
                        closed0 = closed1 = U0
                        starter = np.int64(0)
                        if taken < count and fits:
                            game = taken
                            taken += 1
                            active += 1
                            s[STREAM + lane] = stream_of(key, first + game)
                        s[TURNS + lane], s[LAPS + lane], s[DIGEST + lane] = U0, U0, DIGEST_SEED
                        desk[lane, ROUNDS], desk[lane, PLIES] = 0, 0
                        desk[lane, LAST_MOVER] = 0
                    desk[lane, GAME] = game
                    reason = begun(t, s, desk, lane, row0, row1, closed0, closed1, starter, work.history, room, stride)
                    if reason == GOING_ON or game < 0:
                        break
        starting = False
    done = min(done, taken)
    in_order(ended, rounds, done, work.moves, out)
    return done


@inlined
def begun(
    t: Tables, s: Any, desk: Any, lane: Word, row0: Any, row1: Any, closed0: Word, closed1: Word,
    starter: int, history: Any, room: Word, stride: int,
) -> int:
    """Set a lane to the start of a round; return why it is over at once, or `GOING_ON`."""
    me, opp, mine, other = row0, row1, closed0, closed1
    player = U(starter)
    if starter == 1:
        me, opp, mine, other = row1, row0, closed1, closed0
    layout, layout2 = layout_of(t, mine, other), layout_of(t, other, mine)
    reason, passes = judged(t, me, opp)
    if passes:
        me, opp, layout, layout2, player = opp, me, layout2, layout, player ^ U1
    put_row(s, ME + lane, me)
    put_row(s, OPP + lane, opp)
    s[LAYOUT + lane], s[LAYOUT2 + lane], s[PLAYER + lane] = layout, layout2, player
    s[CELL + lane], s[MOVE_LAPS + lane] = NO_PIT, U0
    s[SEEN + lane], s[BLOOM + lane], s[EXTRA + lane] = U0, U0, U0
    if t.rule.repeats:
        _, bloom = seen_before(history, s[BASE + lane], U0, U0, me, opp, player)
        s[SEEN + lane], s[BLOOM + lane] = U1, bloom
    s[LIMIT + lane] = min(s[AT + lane] + U(t.rule.max_plies), U(stride) * (lane + U1))
    desk[lane, BEGAN] = player
    desk[lane, CLOSED0], desk[lane, CLOSED1] = closed0, closed1
    desk[lane, START] = s[AT + lane]
    return reason


@inlined
def by_itself(
    t: Tables, s: Any, desk: Any, lane: Word, moves: Any, history: Any, room: Word, stride: int
) -> int:
    """Make a lane's move by the code for one game; return why its round ends, or `GOING_ON`."""
    like = t.start[0]
    me, opp, player = row_in(like, s, ME + lane), row_in(like, s, OPP + lane), s[PLAYER + lane]
    layout, layout2 = s[LAYOUT + lane], s[LAYOUT2 + lane]
    seen, bloom = s[SEEN + lane], s[BLOOM + lane]
    s[CELL + lane], s[MOVE_LAPS + lane] = NO_PIT, U0
    place = s[AT + lane]
    if place == U(stride) * (lane + U1):
        return OVERFLOW
    pit, me2, opp2, cell, laps, _, went, stream = random_move(
        t, layout, me, opp, s[STREAM + lane]
    )
    if pit == NO_PIT:
        return NO_MOVE
    moves[place] = pit
    s[STREAM + lane], s[AT + lane] = stream, place + U1
    s[LAPS + lane] += laps
    s[DIGEST + lane] = digested(s[DIGEST + lane], pit)
    desk[lane, LAST_MOVER] = player
    if store(me2) != store(me) or store(opp2) != store(opp):
        seen, bloom = U0, U0
    plies = np.int64(place + U1) - desk[lane, START]
    me, opp, changes, extra, reason, seen, bloom = settled(
        t, (layout, layout2), me2, opp2, cell, went, player, plies, history, s[BASE + lane], room,
        seen, bloom,
    )  # fmt: skip
    put_row(s, ME + lane, me)
    put_row(s, OPP + lane, opp)
    s[SEEN + lane], s[BLOOM + lane] = seen, bloom
    if changes:
        s[PLAYER + lane] = player ^ U1
        s[LAYOUT + lane], s[LAYOUT2 + lane] = layout2, layout
    s[TURNS + lane] += s[EXTRA + lane] ^ U1
    s[EXTRA + lane] = U1 if extra else U0
    return reason


@inlined
def write_round(
    ended: Any, r: int, desk: Any, lane: Word, s: Any, score0: Word, score1: Word, winner: int, reason: int
) -> None:
    ended[r, 0], ended[r, 1], ended[r, 2] = desk[lane, GAME], desk[lane, ROUNDS], desk[lane, PLIES]
    ended[r, 3], ended[r, 4] = desk[lane, START], np.int64(s[AT + lane])
    ended[r, 5], ended[r, 6], ended[r, 7] = desk[lane, BEGAN], score0, score1
    ended[r, 8], ended[r, 9] = winner, reason
    ended[r, 10], ended[r, 11] = desk[lane, CLOSED0], desk[lane, CLOSED1]


@inlined
def in_order(ended: Any, rounds: int, games: int, moves: Any, out: Buffers) -> None:
    """Write the rounds and moves of the first games in the order of games, from that of ends."""
    m = r = 0
    for i in range(games):
        out.move_offsets[i], out.round_offsets[i] = m, r
        m, r = m + out.plies[i], r + out.rounds[i]
    out.move_offsets[games], out.round_offsets[games] = m, r
    for i in range(rounds):
        game = ended[i, 0]
        if game < games:
            r = out.round_offsets[game] + ended[i, 1]
            m = out.move_offsets[game] + ended[i, 2]
            start, plies = ended[i, 3], ended[i, 4] - ended[i, 3]
            for p in range(plies):
                out.moves[U(m + p)] = moves[U(start + p)]
            out.round_first_player[r] = ended[i, 5]
            out.round_scores[r, 0], out.round_scores[r, 1] = ended[i, 6], ended[i, 7]
            out.round_winner[r], out.round_plies[r] = ended[i, 8], plies
            out.round_reason[r] = ended[i, 9]
            out.round_burnt[r, 0], out.round_burnt[r, 1] = ended[i, 10], ended[i, 11]
