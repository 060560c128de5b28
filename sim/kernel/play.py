"""Whole games in the kernel: rounds, matches of rounds, and batches of them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernel.choose import GOLDEN, NO_PIT, RANDOM, greedy_move, mixed, random_move
from sim.kernel.jit import inlined, jit
from sim.kernel.moves import CAPPED, IN_STORE, legal, moved
from sim.kernel.rounds import (
    BURNT_OUT,
    DRAW,
    GOING_ON,
    MAX_LAPS,
    MAX_PLIES,
    MAX_ROUNDS,
    NO_MOVE,
    REPETITION,
    collected,
    judged,
    larger,
    refilled,
    round_winner,
    seen_before,
)
from sim.kernel.rows import U0, U1, Row, U, Word, seeds_at, store
from sim.tables import NEVER, Tables

OVERFLOW = -2  # a buffer is full: the game is dropped, to be played again into an empty one
STRAYED = -3  # a replayed move is not legal
DIGEST_SEED, DIGEST_STEP = U(0x243F6A8885A308D3), U(0xD1342543DE82EF95)
UNBURNT, LOSER, WINNER, LAST_MOVER = 0, 1, 2, 3


class Buffers(NamedTuple):
    """Where a batch is written; shapes and meaning as in `sim.games.Games`."""

    scores: NDArray[np.int16]
    winner: NDArray[np.int8]
    plies: NDArray[np.int32]
    turns: NDArray[np.int32]
    laps: NDArray[np.int32]
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
    history: NDArray[np.uint64]  # (h, words): the positions since a store was last sown


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
def digested(digest: Word, pit: Word) -> Word:
    """Add a pit to the hash of a game's moves."""
    return (digest ^ (pit + U1)) * DIGEST_STEP


@jit
def play_round(
    t: Tables,
    code0: int,
    code1: int,
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
    """Play one round from its start, writing its moves to `moves[m:end]`.

    With `notes` (which is compiled apart) the moves are read from there instead, judged, and
    noted; `before` is the round's number and the game's plies and turns so far.
    Returns the rows (collected), the reason (a negative one where the round did not end), who
    was to move first, who moved last (-1: nobody), plies, turns, laps, the next m, stream,
    digest and the winner.
    """
    me, opp, mine, other = row0, row1, closed0, closed1
    player = starter
    if starter == 1:
        me, opp, mine, other = row1, row0, closed1, closed0
    layout, layout2 = mine * (t.rule.pits + U1) + other, other * (t.rule.pits + U1) + mine
    code, code2 = (code0, code1) if player == 0 else (code1, code0)
    plies, turns, laps, last, extra = 0, 0, U0, -1, False
    reason, passes = judged(t, me, opp)
    if passes:
        me, opp, layout, layout2, code, code2 = opp, me, layout2, layout, code2, code
        player = 1 - player
    first = player
    seen, bloom = 0, U0
    repeats = t.rule.repetition != NEVER
    if repeats:
        _, bloom = seen_before(history, 0, U0, me, opp, U(player))
        seen = 1
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
            note(notes, m, before, plies, turns, player, me, opp, me2, opp2, pit, n, captured)
            notes.turn[m] = before[2] + turns + (not extra)
            notes.legal_moves[m] = t.select[pits] >> U(60)
        elif code == RANDOM:
            pit, me2, opp2, cell, n, _, went, stream = random_move(t, layout, me, opp, stream)
        else:
            pit, me2, opp2, cell, n, _, went, stream = greedy_move(t, layout, me, opp, stream)
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
        if repeats and (store(me2) != store(me) or store(opp2) != store(opp)):
            seen, bloom = 0, U0
        me, opp, last = me2, opp2, player
        if went == CAPPED:
            reason = MAX_LAPS
            break
        extra = t.rule.extra_turn and (cell & IN_STORE) == IN_STORE
        if not extra:
            me, opp, layout, layout2, code, code2 = opp, me, layout2, layout, code2, code
            player = 1 - player
        reason, passes = judged(t, me, opp)
        if reason != GOING_ON:
            break
        if passes:
            me, opp, layout, layout2, code, code2 = opp, me, layout2, layout, code2, code
            player = 1 - player
            extra = False
        if notes is not None:
            notes.extra_turn[m - 1] = extra
        bound = GOING_ON
        if repeats:
            if seen == history.shape[0]:
                reason = OVERFLOW
                break
            times, bloom = seen_before(history, seen, bloom, me, opp, U(player))
            seen += 1
            if times + 1 >= t.rule.repetition:
                bound = REPETITION
        if bound == GOING_ON and plies >= t.rule.max_plies:
            bound = MAX_PLIES
        if bound != GOING_ON:
            # A player without a legal move comes before both bounds.
            reason = bound if legal(t, layout, me, opp) != U0 else NO_MOVE
            break
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


@inlined
def note(
    notes: Notes,
    m: int,
    before: Any,
    plies: int,
    turns: int,
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


@jit
def play_games(
    t: Tables, code0: int, code1: int, key: Word, first: int, count: int, out: Buffers
) -> int:
    """Play `count` games from number `first` on; return how many fitted into the buffers.

    A game's randomness depends on `key` and its number alone.
    """
    out.move_offsets[0] = 0
    out.round_offsets[0] = 0
    for i in range(count):
        stream = mixed(key ^ mixed(U(first + i) * GOLDEN))
        if not play_game(t, code0, code1, stream, i, out, None):
            return i
    return count


@jit
def replay_games(t: Tables, count: int, out: Buffers, notes: Notes) -> int:
    """Replay the games whose moves and offsets are given in `out`; fill in all the rest.

    A game that does not end has the reason -1 and the score so far. Returns how many games'
    rounds fitted into the buffers.
    """
    out.round_offsets[0] = 0
    for i in range(count):
        if not play_game(t, 0, 0, U0, i, out, notes):
            return i
    return count


@inlined
def play_game(
    t: Tables, code0: int, code1: int, stream: Word, i: int, out: Buffers, notes: Any
) -> bool:
    """Play one game into entry i, or replay it with `notes`; return whether it fitted."""
    row0, row1 = t.start
    closed0, closed1 = U0, U0
    m, r = out.move_offsets[i], out.round_offsets[i]
    end = out.moves.size
    if notes is not None:
        end = out.move_offsets[i + 1]
        notes.bad[i] = -1
    digest = DIGEST_SEED
    plies, turns, laps, rounds, starter, last_mover = 0, 0, U0, 0, 0, 0
    while True:
        row0, row1, reason, began, last, p, tn, lp, m, stream, digest, winner = play_round(
            t, code0, code1, row0, row1, closed0, closed1, starter, stream, digest, out.moves, m,
            end, out.history, notes, (rounds + 1, plies, turns),
        )  # fmt: skip
        if r == out.round_plies.size or (notes is None and reason == OVERFLOW):
            return False
        plies, turns, laps = plies + p, turns + tn, laps + lp
        if reason < 0:
            break
        if last >= 0:
            last_mover = last
        elif rounds == 0:
            break  # over before it began: no round was played
        out.round_first_player[r] = began
        out.round_scores[r, 0], out.round_scores[r, 1] = store(row0), store(row1)
        out.round_winner[r], out.round_plies[r], out.round_reason[r] = winner, p, reason
        out.round_burnt[r, 0], out.round_burnt[r, 1] = closed0, closed1
        r += 1
        rounds += 1
        if not t.rule.sunog:
            break
        score0, score1 = store(row0), store(row1)
        next0, open0 = refilled(t, row0, closed0)
        next1, open1 = refilled(t, row1, closed1)
        dead0, dead1 = open0 == t.rule.pits, open1 == t.rule.pits
        if dead0 or dead1 or rounds == t.rule.max_rounds:
            reason = BURNT_OUT if dead0 or dead1 else MAX_ROUNDS
            winner = larger(score0, score1)
            if dead0 != dead1:
                winner = 1 if dead0 else 0
            break
        row0, row1, closed0, closed1 = next0, next1, open0, open1
        starter = next_starter(t, score0, score1, closed0, closed1, last_mover, began)
    if notes is not None:
        if m < end:
            notes.bad[i] = plies
        reason = max(reason, GOING_ON)
    out.scores[i, 0], out.scores[i, 1] = store(row0), store(row1)
    out.winner[i], out.reason[i], out.rounds[i] = winner, reason, rounds
    out.plies[i], out.turns[i], out.laps[i] = plies, turns, laps
    out.digest[i] = mixed(digest)
    out.round_offsets[i + 1] = r
    if notes is None:
        out.move_offsets[i + 1] = m
    return True


@inlined
def next_starter(
    t: Tables, score0: Word, score1: Word, closed0: Word, closed1: Word, last: int, began: int
) -> int:
    """Return who begins the next round of a match; a tie alternates with who began the last."""
    if t.rule.starter == LAST_MOVER:
        return last
    if t.rule.starter == UNBURNT and closed0 != closed1:
        return 0 if closed0 < closed1 else 1
    if t.rule.starter == WINNER and score0 != score1:
        return 0 if score0 > score1 else 1
    if t.rule.starter == LOSER and score0 != score1:
        return 0 if score0 < score1 else 1
    return 1 - began
