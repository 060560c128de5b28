"""Whole games in the kernel: rounds, matches of rounds, and batches of them."""

from typing import Any

import numpy as np

from sim.kernel.buffers import Buffers, note
from sim.kernel.choose import DIGEST_SEED, digested, mixed, random_move, stream_of
from sim.kernel.jit import jit
from sim.kernel.moves import NO_PIT, legal, moved
from sim.kernel.names import DRAW, GOING_ON, NO_MOVE, OVERFLOW, STRAYED
from sim.kernel.rounds import collected, round_winner, seen_before
from sim.kernel.rows import I0, U0, U1, Row, U, Word, position_words, store
from sim.kernel.steps import next_round, opened, settled
from sim.tables import Tables


@jit
def play_round(
    t: Tables,
    row0: Row,
    row1: Row,
    closed0: Word,
    closed1: Word,
    starter: int,
    stream: Word,
    digest: Word,
    moves: Any,
    m: int,
    end: int,
    history: Any,
    notes: Any,
    before: Any,
) -> Any:
    """Play one round of random players from its start, writing its moves to `moves[m:end]`.

    With `notes` (which is compiled apart) the moves are read from there instead, judged, and
    noted; `before` is the round's number and the game's plies and turns so far.
    Returns the rows (collected), the reason (a negative one where the round did not end), who
    was to move first, who moved last (-1: nobody), plies, turns, laps, the next m, stream,
    digest and the winner.
    """
    me, opp, layout, layout2, began, reason = opened(t, row0, row1, closed0, closed1, starter)
    plies, turns, laps, last, extra = 0, 0, U0, -1, False
    player: Any = np.int64(began)
    first = player
    seen, bloom, room = U0, U0, U(history.size // len(position_words(me, opp, U0)))
    if t.rule.repeats:
        _, bloom = seen_before(history, U0, U0, U0, me, opp, U(player))
        seen = U1
    while reason == GOING_ON:
        if notes is not None:
            pits = legal(t, layout, me, opp)
            if pits == U0:
                reason = NO_MOVE
                break
        if m == end:
            reason = OVERFLOW
            break
        if notes is not None:
            pit = U(moves[m])
            if pit >= U(12) or (pits >> pit) & U1 == U0:
                reason = STRAYED
                break
            me2, opp2, cell, n, captured, went = moved(t, layout, me, opp, pit)
            note(notes, m, before, plies, player, me, opp, me2, opp2, pit, n, captured)
            notes.turn[m] = before[2] + turns + (not extra)
            notes.legal_moves[m] = t.select[pits] >> U(60)
        else:
            pit, me2, opp2, cell, n, _, went, stream = random_move(t, layout, me, opp, stream)
        if pit == NO_PIT:
            reason = NO_MOVE
            break
        if notes is None:
            moves[m] = pit
        m += 1
        plies += 1
        turns += not extra
        laps += n
        digest = digested(digest, pit)
        if store(me2) != store(me) or store(opp2) != store(opp):
            seen, bloom = U0, U0
        last = player
        me, opp, changes, extra, reason, seen, bloom = settled(
            t, (layout, layout2), me2, opp2, cell, went, U(player), plies, history, U0, room,
            seen, bloom,
        )  # fmt: skip
        if changes:
            layout, layout2 = layout2, layout
            player = 1 - player
        if notes is not None:
            notes.extra_turn[m - 1] = extra
    if notes is not None and plies > 0 and reason >= 0:
        notes.extra_turn[m - 1] = False  # the round is over
    row0, row1 = (me, opp) if player == 0 else (opp, me)
    winner = DRAW
    if reason >= 0:
        row_a, row_b = collected(t, reason, row0, row1)
        winner = round_winner(t, reason, row_a, row_b)
        row0, row1 = row_a, row_b
    return (
        row0, row1, reason, first, last, plies, turns, laps, m, stream, digest, winner,
    )  # fmt: skip


@jit
def play_games(t: Tables, key: Word, first: int, count: int, out: Buffers, notes: Any) -> int:
    """Play `count` games of random players from number `first` on.

    Returns how many fitted into the buffers.

    A game's randomness depends on `key` and its number alone. With `notes` (compiled apart) the
    games whose moves and offsets are given in `out` are replayed instead; one that does not end
    has the reason `GOING_ON` and the score so far.
    """
    out.round_offsets[0] = 0
    if notes is None:
        out.move_offsets[0] = 0
    for i in range(count):
        stream = stream_of(key, first + i)
        row0, row1 = t.start
        closed0, closed1 = U0, U0
        m, r, end = out.move_offsets[i], out.round_offsets[i], out.moves.size
        if notes is not None:
            end = out.move_offsets[i + 1]
        digest, laps = DIGEST_SEED, U0
        plies = turns = rounds = starter = last_mover = I0
        while True:
            row0, row1, reason, began, last, p, tn, lp, m, stream, digest, winner = play_round(
                t, row0, row1, closed0, closed1, starter, stream, digest, out.moves,
                m, end, out.history, notes, (rounds + 1, plies, turns),
            )  # fmt: skip
            if r == out.round_plies.size or (notes is None and reason == OVERFLOW):
                return i
            plies, turns, laps = plies + p, turns + tn, laps + lp
            if last >= 0:
                last_mover = last
            elif rounds == 0:
                break  # over before it began: no round was played
            if reason < 0:
                break
            out.round_first_player[r] = began
            out.round_scores[r, 0], out.round_scores[r, 1] = store(row0), store(row1)
            out.round_winner[r], out.round_plies[r], out.round_reason[r] = winner, p, reason
            out.round_burnt[r, 0], out.round_burnt[r, 1] = closed0, closed1
            r += 1
            rounds += 1
            if not t.rule.sunog:
                break
            ended, victor, next0, next1, burnt0, burnt1, starter = next_round(
                t, row0, row1, closed0, closed1, rounds, last_mover, began
            )
            if ended != GOING_ON:
                reason, winner = ended, victor
                break
            row0, row1, closed0, closed1 = next0, next1, burnt0, burnt1
        if notes is not None:
            notes.bad[i] = plies if m < end else -1
        out.scores[i, 0], out.scores[i, 1] = store(row0), store(row1)
        out.winner[i], out.reason[i], out.rounds[i] = winner, max(reason, GOING_ON), rounds
        out.plies[i], out.turns[i], out.laps[i] = plies, turns, laps
        out.digest[i] = mixed(digest)
        out.round_offsets[i + 1] = r
        if notes is None:
            out.move_offsets[i + 1] = m
    return count
