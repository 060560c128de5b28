"""Many games of random players in step: the batch's loop.

A processor waits for one game's chain of look-ups and guesses its branches wrong; over several
games the waits overlap, and the common move has no branch to guess. What is uncommon is left to
the code for one game (`kernel.care`). A game is a function of its key and number, so it makes no
odds in which lane it is played, or beside which others.
"""

from typing import Any

import numpy as np

from sim.kernel.buffers import Buffers
from sim.kernel.care import (
    BEGAN,
    CLOSED0,
    CLOSED1,
    GAME,
    NOBODY,
    PLIES,
    ROUNDS,
    START,
    Work,
    begun,
    by_itself,
    history_part,
    part_end,
    part_start,
)
from sim.kernel.choose import DIGEST_SEED, mixed, stream_of
from sim.kernel.jit import inlined, jit
from sim.kernel.names import DRAW, GOING_ON, OVERFLOW
from sim.kernel.rounds import FILTER_SLOTS, collected, round_winner
from sim.kernel.rows import I0, U0, U1, Row, Word, store
from sim.kernel.state import (
    AT,
    BASE,
    DIGEST,
    FILTER,
    LANES,
    LAPS,
    ME,
    MOVER,
    OPP,
    PLAYER,
    STREAM,
    TURNS,
    U,
    row_in,
)
from sim.kernel.steps import next_round
from sim.kernel.tick import tick
from sim.kernel.vectors import WIDTH, lowest
from sim.tables import Tables

BEGUN, ACTIVE, ENDED, KEPT = range(4)  # the places of `Work.counts`
ALL = U((1 << WIDTH) - 1)


@jit
def play_in_step(t: Tables, key: Word, first: int, count: int, out: Buffers, work: Work) -> int:
    """Do for two random players what `play_games` does."""
    positions = history_part(work, t.start[0])
    room = positions - U1  # behind the last one is slack, which `tick` scribbles on
    work.state[:], work.filters[:] = U0, U0
    work.counts[BEGUN], work.counts[ACTIVE], work.counts[ENDED], work.counts[KEPT] = 0, 0, 0, count
    for i in range(LANES):
        lane = U(i)
        work.desk[lane, GAME] = NOBODY
        work.state[AT + lane], work.state[BASE + lane] = part_start(work, lane), lane * positions
        work.state[FILTER + lane] = lane * U(FILTER_SLOTS)
    starting = True
    while starting or work.counts[ACTIVE] > 0:
        for group in range(0, LANES, WIDTH):
            g = U(group)
            waiting = ALL
            if not starting:
                waiting = tick(t, work.state, g, work.moves, work.history, work.filters, room)
            while waiting != U0:
                lane = g + lowest(waiting)
                waiting &= waiting - U1
                reason = GOING_ON
                if work.desk[lane, GAME] >= 0:
                    reason = by_itself(t, work, lane, room)
                if reason != GOING_ON or work.desk[lane, GAME] < 0:
                    _go_on(t, key, first, out, work, lane, reason)
        starting = False
    kept: int = min(work.counts[KEPT], work.counts[BEGUN])
    _in_order(work, kept, out)
    return kept


@inlined
def _go_on(
    t: Tables, key: Word, first: int, out: Buffers, work: Work, lane: Word, reason: int
) -> None:
    """Set a lane, whose round is over or which has no game, to the next round that can be played.

    A lane for which there is no game any more plays the start of the last rules' round, for
    nobody: it comes here again whenever that ends.
    """
    while True:
        row0, row1 = t.start
        closed0, closed1, starter = U0, U0, I0
        if work.desk[lane, GAME] >= 0:
            row0, row1, closed0, closed1, starter = _round_over(t, out, work, lane, reason)
        if work.desk[lane, GAME] < 0:
            _take_game(key, first, work, lane)
        reason = begun(t, work, lane, row0, row1, closed0, closed1, starter)
        if reason == GOING_ON or work.desk[lane, GAME] < 0:
            break


@inlined
def _take_game(key: Word, first: int, work: Work, lane: Word) -> None:
    """Give a lane the batch's next game to keep, if half of the lane's part is free."""
    s, desk = work.state, work.desk
    s[TURNS + lane], s[LAPS + lane], s[DIGEST + lane] = U0, U0, DIGEST_SEED
    s[MOVER + lane] = U0
    desk[lane, ROUNDS], desk[lane, PLIES] = 0, 0
    free = part_end(work, lane) - s[AT + lane]
    if work.counts[BEGUN] < work.counts[KEPT] and free > U(work.moves.size // LANES // 2):
        game = work.counts[BEGUN]
        desk[lane, GAME] = game
        s[STREAM + lane] = stream_of(key, first + game)
        work.counts[BEGUN] += 1
        work.counts[ACTIVE] += 1


@inlined
def _round_over(t: Tables, out: Buffers, work: Work, lane: Word, reason: int) -> Any:
    """Note a round, and its game if that is over; then the lane has no game.

    Returns the next round: rows, closed pits and who begins.
    """
    s, desk = work.state, work.desk
    row0, row1 = row_in(t.start[0], s, ME + lane), row_in(t.start[0], s, OPP + lane)
    if s[PLAYER + lane] != U0:
        row0, row1 = row1, row0
    closed0, closed1 = U(desk[lane, CLOSED0]), U(desk[lane, CLOSED1])
    starter, winner, over = I0, I0 + DRAW, True
    if reason >= 0:
        row0, row1 = collected(t, reason, row0, row1)
        winner = I0 + round_winner(t, reason, row0, row1)
        # A game that is over before it began has no round.
        played = desk[lane, PLIES] > 0 or s[AT + lane] > U(desk[lane, START])
        if work.counts[ENDED] == work.ended.shape[0]:
            reason = OVERFLOW
        elif played:
            _note_round(work, lane, row0, row1, winner, reason)
            if t.rule.sunog:
                last: Any = np.int64(s[MOVER + lane])
                ended, victor, next0, next1, closed0, closed1, starter = next_round(
                    t, row0, row1, closed0, closed1, desk[lane, ROUNDS],
                    last, desk[lane, BEGAN],
                )  # fmt: skip
                over = ended != GOING_ON
                if over:
                    reason, winner = ended, victor
                else:
                    row0, row1 = next0, next1
    if over:
        _note_game(t, out, work, lane, row0, row1, winner, reason)
        row0, row1 = t.start
        closed0, closed1, starter = U0, U0, I0
    return row0, row1, closed0, closed1, starter


@inlined
def _note_round(work: Work, lane: Word, row0: Row, row1: Row, winner: int, reason: int) -> None:
    desk, end = work.desk, np.int64(work.state[AT + lane])
    note = work.ended[work.counts[ENDED]]
    work.counts[ENDED] += 1
    note[0], note[1], note[2] = desk[lane, GAME], desk[lane, ROUNDS], desk[lane, PLIES]
    note[3], note[4], note[5] = desk[lane, START], end, desk[lane, BEGAN]
    note[6], note[7], note[8], note[9] = store(row0), store(row1), winner, reason
    note[10], note[11] = desk[lane, CLOSED0], desk[lane, CLOSED1]
    desk[lane, ROUNDS] += 1
    desk[lane, PLIES] += end - desk[lane, START]


@inlined
def _note_game(
    t: Tables, out: Buffers, work: Work, lane: Word, row0: Row, row1: Row, winner: int, reason: int
) -> None:
    s, desk = work.state, work.desk
    game, plies = desk[lane, GAME], desk[lane, PLIES]
    if reason < 0:  # it did not fit; it and those after it are played again
        work.counts[KEPT] = min(work.counts[KEPT], game)
    out.scores[game, 0], out.scores[game, 1] = store(row0), store(row1)
    out.winner[game], out.reason[game] = winner, reason
    out.rounds[game], out.plies[game] = desk[lane, ROUNDS], plies
    out.turns[game], out.digest[game] = s[TURNS + lane], mixed(s[DIGEST + lane])
    out.laps[game] = s[LAPS + lane] if t.rule.relay else U(plies)  # else a move is a lap
    desk[lane, GAME] = NOBODY
    work.counts[ACTIVE] -= 1


@inlined
def _in_order(work: Work, games: int, out: Buffers) -> None:
    """Write the rounds and moves of the first games in the order of games, from that of ends."""
    m = r = 0
    for i in range(games):
        out.move_offsets[i], out.round_offsets[i] = m, r
        m, r = m + out.plies[i], r + out.rounds[i]
    out.move_offsets[games], out.round_offsets[games] = m, r
    for i in range(work.counts[ENDED]):
        note = work.ended[i]
        game, start, plies = note[0], note[3], note[4] - note[3]
        if game < games:
            m, r = out.move_offsets[game] + note[2], out.round_offsets[game] + note[1]
            for p in range(plies):
                out.moves[U(m + p)] = work.moves[U(start + p)]
            out.round_first_player[r], out.round_plies[r] = note[5], plies
            out.round_scores[r, 0], out.round_scores[r, 1] = note[6], note[7]
            out.round_winner[r], out.round_reason[r] = note[8], note[9]
            out.round_burnt[r, 0], out.round_burnt[r, 1] = note[10], note[11]
