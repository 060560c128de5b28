"""What follows a move within its round, and what follows a round within its match."""

from typing import Any, NamedTuple

from sim.kernel.jit import inlined
from sim.kernel.match import match_end, match_winner, next_starter, refilled
from sim.kernel.moves import CAPPED, IN_STORE, legal
from sim.kernel.names import GOING_ON, MAX_LAPS, MAX_PLIES, NO_MOVE, OVERFLOW, REPETITION
from sim.kernel.rounds import judged, seen_before
from sim.kernel.rows import U0, U1, Number, Row, U, Word, store
from sim.tables import Tables


@inlined
def layout_of(t: Tables, mine: Word, other: Word) -> Word:
    """Return where the laps of a layout begin in the tables: so many closed pits a side."""
    return (mine * (t.rule.pits + U1) + other) * t.rule.layout_stride


@inlined
def opened(t: Tables, row0: Row, row1: Row, closed0: Word, closed1: Word, starter: int) -> Any:
    """Judge the start of a round with so many closed pits, which `starter` is to begin.

    Returns the rows of the player to move and of the other, their layouts, who is to move after
    passes (`uint64`), and why the round is over already, or `GOING_ON`.
    """
    me, opp, mine, other, player = row0, row1, closed0, closed1, U(starter)
    if starter == 1:
        me, opp, mine, other = row1, row0, closed1, closed0
    layout, layout2 = layout_of(t, mine, other), layout_of(t, other, mine)
    reason, passes = judged(t, me, opp)
    if passes:
        me, opp, layout, layout2, player = opp, me, layout2, layout, player ^ U1
    return me, opp, layout, layout2, player, reason


@inlined
def settled(
    t: Tables,
    layouts: Any,
    me: Row,
    opp: Row,
    cell: Word,
    went: int,
    player: Word,
    plies: int,
    history: Any,
    base: Word,
    room: Word,
    seen: Word,
    bloom: Word,
) -> Any:
    """Judge the board that a move left: `me` is the row of `player`, who made it.

    `layouts` are those of `player` and of the other one; `seen` positions since the last seed
    that was stored (0 where this move stored one) are the history, which has `room` entries from
    entry `base` on.
    Returns the rows of the player to move and of the other, whether the player to move has
    changed, whether it is an extra turn, the reason for the round's end or `GOING_ON`, `seen`
    and `bloom`.
    """
    if went == CAPPED:
        return me, opp, False, False, MAX_LAPS, seen, bloom
    extra = t.rule.extra_turn != 0 and (cell & IN_STORE) == IN_STORE
    changes = not extra
    if changes:
        me, opp = opp, me
    reason, passes = judged(t, me, opp)
    if reason != GOING_ON:
        return me, opp, changes, extra, reason, seen, bloom
    if passes:
        me, opp, changes, extra = opp, me, not changes, False
    bound = GOING_ON
    if t.rule.repeats:
        if seen == room:
            return me, opp, changes, extra, OVERFLOW, seen, bloom
        mover = player ^ U1 if changes else player
        times, bloom = seen_before(history, base, seen, bloom, me, opp, mover)
        seen += U1
        if times + 1 >= t.rule.repetition:
            bound = REPETITION
    if bound == GOING_ON and plies >= t.rule.max_plies:
        bound = MAX_PLIES
    if bound != GOING_ON:
        # A player without a legal move comes before both bounds.
        layout = layouts[1] if changes else layouts[0]
        reason = bound if legal(t, layout, me, opp) != U0 else NO_MOVE
    return me, opp, changes, extra, reason, seen, bloom


class Stand(NamedTuple):
    """Where a round stands but for its rows; the numbers are as `settled` has them."""

    layout: Word  # of the player to move
    layout2: Word
    player: Word
    plies: Number
    seen: Word
    bloom: Word


@inlined
def followed(
    t: Tables,
    at: Stand,
    me: Row,
    opp: Row,
    me2: Row,
    opp2: Row,
    cell: Word,
    went: Number,
    history: Any,
    base: Word,
    room: Word,
) -> Any:
    """Judge a move from (me, opp), where a round stood `at`, to (me2, opp2).

    The rest is as in `settled`. Returns the rows of the player to move and of the other, whether
    the player to move has changed, why the round is over or `GOING_ON`, and where it stands.
    """
    seen, bloom = at.seen, at.bloom
    if store(me2) != store(me) or store(opp2) != store(opp):
        seen, bloom = U0, U0
    plies = at.plies + 1
    layout, layout2, player = at.layout, at.layout2, at.player
    me3, opp3, changes, _, reason, seen, bloom = settled(
        t, (layout, layout2), me2, opp2, cell, went, player, plies, history, base, room, seen,
        bloom,
    )  # fmt: skip
    if changes:
        layout, layout2, player = layout2, layout, player ^ U1
    return me3, opp3, changes, reason, Stand(layout, layout2, player, plies, seen, bloom)


@inlined
def next_round(
    t: Tables,
    row0: Row,
    row1: Row,
    closed0: Word,
    closed1: Word,
    rounds: int,
    last: int,
    began: int,
) -> Any:
    """Return what follows the last of so many rounds, which left collected rows.

    `last` is who made the match's last move, `began` who began the round.
    Returns the reason for the match's end or `GOING_ON`, its winner, and the next round: both
    rows, both numbers of closed pits and who begins.
    """
    next0, burnt0 = refilled(t, row0, closed0)
    next1, burnt1 = refilled(t, row1, closed1)
    reason = match_end(t, burnt0, burnt1, rounds)
    winner = match_winner(t, row0, row1, burnt0, burnt1)
    starter = next_starter(t, row0, row1, burnt0, burnt1, last, began)
    return reason, winner, next0, next1, burnt0, burnt1, starter
