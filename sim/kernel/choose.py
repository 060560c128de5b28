"""The players that look no further than a move or two, and all players' randomness."""

from typing import Any

import numpy as np

from sim.kernel.jit import inlined, jit
from sim.kernel.moves import (
    IN_STORE,
    NO_PIT,
    PLAYED,
    SLAM,
    legal,
    moved,
    starves,
    surely_legal,
)
from sim.kernel.names import GOING_ON, UNLESS_ONLY
from sim.kernel.rounds import judged
from sim.kernel.rows import I0, U0, U1, U2, U15, U32, Number, Row, U, Word, occupied, row_at, store
from sim.kernel.vectors import at, lowest
from sim.tables import Tables

GOLDEN = U(0x9E3779B97F4A7C15)
DIGEST_SEED, DIGEST_STEP = U(0x243F6A8885A308D3), U(0xD1342543DE82EF95)
MIX1, MIX2 = U(0xBF58476D1CE4E5B9), U(0x94D049BB133111EB)
UNKNOWN = np.float32(np.nan)
U11, U27, U30, U31, U60 = map(U, (11, 27, 30, 31, 60))


@inlined
def mixed(x: Word) -> Word:
    """Scatter 64 bits: the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    x = (x ^ (x >> U30)) * MIX1
    x = (x ^ (x >> U27)) * MIX2
    return x ^ (x >> U31)


@inlined
def stream_of(key: Word, game: int) -> Word:
    """Return the start of a game's own randomness, from its cell's key and its number."""
    return mixed(key ^ mixed(U(game) * GOLDEN))


@inlined
def digested(digest: Word, pit: Word) -> Word:
    """Add a pit to the hash of a game's moves."""
    return (digest ^ (pit + U1)) * DIGEST_STEP


@inlined
def pick(t: Tables, mask: Word, stream: Word) -> Any:
    """Draw one of the set bits of a mask that is not empty, uniformly to within 2**-28.

    Returns the bit's number and the stream's next state.
    """
    stream += GOLDEN
    ranks = at(t.select, mask)
    rank = ((mixed(stream) >> U32) * (ranks >> U60)) >> U32
    return (ranks >> (rank << U2)) & U15, stream


@inlined
def random_move(t: Tables, layout: Word, me: Row, opp: Row, stream: Word) -> Any:
    """Play a uniformly drawn legal pit.

    An illegal draw is struck out and drawn again, which is uniform over the legal pits and sows
    one pit where a list of the legal ones would sow them all.
    Returns the pit (`NO_PIT` when none is legal), what `move` returns, and the stream.
    """
    pits = occupied(me)
    if pits == U0:
        return NO_PIT, me, opp, U0, U0, U0, PLAYED, stream
    free = surely_legal(t, opp)
    starved = U0
    while True:
        pit, stream = pick(t, pits, stream)
        me2, opp2, cell, laps, captured, went = moved(t, layout, me, opp, pit)
        if free or (went != SLAM and not starves(t, opp, opp2)):
            return pit, me2, opp2, cell, laps, captured, went, stream
        pits &= ~(U1 << pit)
        if went != SLAM and t.rule.must_feed == UNLESS_ONLY:
            starved |= U1 << pit
        if pits == U0:
            if starved == U0:
                return NO_PIT, me, opp, U0, U0, U0, PLAYED, stream
            # No other move is left, so the starving ones are legal after all.
            pits, free = starved, True


@inlined
def moves_again(t: Tables, layout: Word, me: Row, opp: Row) -> bool:
    """Whether a last seed in a store brings an extra turn: the round goes on, with a legal move."""
    reason, passes = judged(t, me, opp)
    return reason == GOING_ON and not passes and legal(t, layout, me, opp) != U0


@jit
def choose_random(t: Tables, s: Any, games: Any) -> None:
    """Choose at random in some games of a sitting."""
    for g in games:
        me, opp = row_at(t.start[0], s.rows, U(2 * g)), row_at(t.start[0], s.rows, U(2 * g + 1))
        s.pit[g], _, _, _, _, _, _, s.stream[g] = random_move(
            t, s.layouts[g, 0], me, opp, s.stream[g]
        )
        s.worth[g], s.nodes[g] = UNKNOWN, 0


@jit
def choose_only(s: Any, games: Any, others: Any) -> Number:
    """Choose in those of some games in which one pit alone is legal; list and count the others."""
    n = I0
    for g in games:
        pits = s.legal[g]
        if pits & (pits - U1) == U0:
            s.pit[g] = lowest(pits)
            s.worth[g], s.nodes[g] = UNKNOWN, 0
        else:
            others[n] = g
            n += 1
    return n


@jit
def draw_slips(s: Any, games: Any, eps: float, slips: Any) -> None:
    """Draw for some games of a sitting whether their player moves at random, with chance `eps`."""
    for i in range(len(games)):
        g = games[i]
        s.stream[g] += GOLDEN
        slips[i] = np.float64(mixed(s.stream[g]) >> U11) * 2.0**-53 < eps


@jit
def choose_greedy(
    t: Tables, s: Any, games: Any, avoids: bool, counts_extra: bool, heeds: bool
) -> None:
    """Choose greedily in some games of a sitting; see `greedy_pit`."""
    for g in games:
        me, opp = row_at(t.start[0], s.rows, U(2 * g)), row_at(t.start[0], s.rows, U(2 * g + 1))
        s.pit[g], s.stream[g] = greedy_pit(
            t, (s.layouts[g, 0], s.layouts[g, 1]), me, opp, s.legal[g], s.stream[g],
            avoids, counts_extra, heeds,
        )  # fmt: skip
        s.worth[g], s.nodes[g] = UNKNOWN, 0


@jit
def greedy_pit(
    t: Tables,
    layouts: Any,
    me: Row,
    opp: Row,
    pits: Word,
    stream: Word,
    avoids: bool,
    counts_extra: bool,
    heeds: bool,
) -> Any:
    """Return the pit that banks most, an extra turn worth one seed more, and the stream.

    Ties are drawn. `pits` are the legal ones. The options: it captures only where every legal move
    does (`avoids`), an extra turn is worth something (`counts_extra`), and what the opponent's
    best reply banks is taken off (`heeds`).
    """
    best, ties, quiet = I0 - 1_000, U0, False
    for i in range(12):
        pit = U(i)
        if (pits >> pit) & U1 != U0:
            me2, opp2, cell, _, captured, _ = moved(t, layouts[0], me, opp, pit)
            worth = I0 + np.int64(store(me2) - store(me))
            again = t.rule.extra_turn != 0 and (cell & IN_STORE) == IN_STORE
            again = again and moves_again(t, layouts[0], me2, opp2)
            if again and counts_extra:
                worth += 1
            if heeds and not again:
                worth -= best_reply(t, layouts[1], opp2, me2)
            if avoids and captured == U0 and not quiet:
                best, ties, quiet = I0 - 1_000, U0, True
            if not (avoids and quiet and captured != U0):
                if worth > best:
                    best, ties = worth, U0
                if worth == best:
                    ties |= U1 << pit
    return pick(t, ties, stream)


@jit
def best_reply(t: Tables, layout: Word, me: Row, opp: Row) -> Any:
    """Return the most seeds that a player can bank with a move, 0 where the round is over."""
    reason, passes = judged(t, me, opp)
    if reason != GOING_ON or passes:
        return 0
    most, pits = U0, legal(t, layout, me, opp)
    for i in range(12):
        if (pits >> U(i)) & U1 != U0:
            me2, _, _, _, _, _ = moved(t, layout, me, opp, U(i))
            most = max(most, store(me2) - store(me))
    return np.int64(most)
