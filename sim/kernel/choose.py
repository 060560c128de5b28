"""The players that are compiled into the game loop, and their randomness."""

from typing import Any

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
from sim.kernel.names import GOING_ON, RANDOM, UNLESS_ONLY
from sim.kernel.rounds import judged
from sim.kernel.rows import U0, U1, Row, U, Word, occupied, store
from sim.kernel.vectors import at
from sim.tables import Tables

GOLDEN = U(0x9E3779B97F4A7C15)
DIGEST_SEED, DIGEST_STEP = U(0x243F6A8885A308D3), U(0xD1342543DE82EF95)
MIX1, MIX2 = U(0xBF58476D1CE4E5B9), U(0x94D049BB133111EB)
U2, U15, U27, U30, U31, U32, U60 = map(U, (2, 15, 27, 30, 31, 32, 60))


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
def greedy_move(t: Tables, layout: Word, me: Row, opp: Row, stream: Word) -> Any:
    """Play the pit that banks most, an extra turn worth one seed more; ties are drawn.

    Returns what `random_move` returns.
    """
    pits = legal(t, layout, me, opp)
    if pits == U0:
        return NO_PIT, me, opp, U0, U0, U0, PLAYED, stream
    best, ties = U0, U0
    for i in range(12):
        pit = U(i)
        if (pits >> pit) & U1 != U0:
            me2, opp2, cell, _, _, _ = moved(t, layout, me, opp, pit)
            worth = U1 + store(me2) - store(me)
            in_store = t.rule.extra_turn and (cell & IN_STORE) == IN_STORE
            if in_store and moves_again(t, layout, me2, opp2):
                worth += U1
            if worth > best:
                best, ties = worth, U0
            if worth == best:
                ties |= U1 << pit
    pit, stream = pick(t, ties, stream)
    me2, opp2, cell, laps, captured, went = moved(t, layout, me, opp, pit)
    return pit, me2, opp2, cell, laps, captured, went, stream


@jit
def chosen(t: Tables, code: int, layout: Word, me: Row, opp: Row, stream: Word) -> Any:
    """Let the player of a code move. Returns what `random_move` returns."""
    if code == RANDOM:
        return random_move(t, layout, me, opp, stream)
    return greedy_move(t, layout, me, opp, stream)
