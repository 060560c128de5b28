"""One lap of several games in step, without a branch that depends on a game."""

from typing import Any

from sim.kernel.choose import digested, pick
from sim.kernel.jit import inlined
from sim.kernel.moves import IN_STORE, NO_PIT, facing_capture
from sim.kernel.names import COUNT, OPPOSITE, WHEN_BOARD, WHEN_NO_MOVE
from sim.kernel.rounds import current, filing
from sim.kernel.rows import (
    U0,
    U1,
    U15,
    U16,
    U32,
    Row,
    Word,
    banked,
    chain,
    either,
    empty,
    lift,
    minus,
    occupied,
    position_words,
    seeds_at,
    sown,
    store,
    total,
)
from sim.kernel.state import (
    AT,
    BASE,
    CELL,
    DIGEST,
    EXTRA,
    FILTER,
    GENERATION,
    LAPS,
    LAYOUT,
    LAYOUT2,
    LIMIT,
    ME,
    MOVE_LAPS,
    MOVER,
    NOW_ME,
    NOW_OPP,
    OPP,
    PLAYER,
    SEEN,
    STREAM,
    TURNS,
    U,
    load_row,
    save_row,
)
from sim.kernel.vectors import all_lanes, at, bits, load, save, scatter, spread, where
from sim.tables import Tables


@inlined
def lap(t: Tables, layout: Word, me: Row, opp: Row, cell: Word) -> Any:
    """Sow a lap: return both rows, the last seed's cell, whether it is a store, and whether the
    seed is alone there."""
    seeds = seeds_at(me, opp, cell)
    entry = layout + (cell << t.rule.lap_shift) + seeds
    me, opp = lift(me, opp, cell, seeds)
    me, opp = sown(me, opp, t.adds, entry)
    last = at(t.lands, entry)
    return me, opp, last, (last & U15) == IN_STORE, seeds_at(me, opp, last) == U1


@inlined
def tick(t: Tables, s: Any, g: Word, moves: Any, history: Any, filters: Any, room: Word) -> Word:
    """Sow one lap in each lane of the group that begins with lane g, and end the moves it ends.

    Where `moves` is None (which is compiled apart), they and what only figures need are not noted.
    Returns the lanes, as bits, that need care: they stand where they stood before their move.
    It ends a round, may be illegal, or leads to a position that may have stood before.
    """
    like = t.start[0]
    before_me, before_opp = load_row(like, s, ME + g), load_row(like, s, OPP + g)
    stream = load(s, STREAM + g)
    pit, next_stream = pick(t, occupied(before_me), stream)
    me, opp, cell, laps = before_me, before_opp, pit, spread(U1)
    if t.rule.relay:
        goes_on = load(s, CELL + g)
        begins = goes_on == NO_PIT
        me = either(begins, me, load_row(like, s, NOW_ME + g))
        opp = either(begins, opp, load_row(like, s, NOW_OPP + g))
        cell = where(begins, pit, goes_on)
        laps = load(s, MOVE_LAPS + g) + U1
    layout = load(s, LAYOUT + g)
    me, opp, last, in_store, lone = lap(t, layout, me, opp, cell)
    done, care = all_lanes(), ~all_lanes()
    if t.rule.relay:
        # A second lap in the lanes that go on: what begins and ends a move costs more than a lap.
        done = in_store | lone
        care = ~done & (laps >= t.rule.max_laps)
        me2, opp2, last2, in_store2, lone2 = lap(t, layout, me, opp, last)
        me, opp, last = either(done, me, me2), either(done, opp, opp2), where(done, last, last2)
        laps = laps + where(done, U0, U1)
        in_store, lone = (done & in_store) | (~done & in_store2), (done & lone) | (~done & lone2)
        done = in_store | lone
        care = care | (~done & (laps >= t.rule.max_laps))
        save_row(s, NOW_ME + g, me)
        save_row(s, NOW_OPP + g, opp)
        save(s, CELL + g, where(done, NO_PIT, last))
        save(s, MOVE_LAPS + g, where(done, U0, laps))
    if t.rule.capture == OPPOSITE:
        me, opp, _ = facing_capture(t, me, opp, last, lone & (last < t.rule.pits))
    elif t.rule.capture == COUNT:
        taken = chain(opp, last, t.counts)
        takes = done & (last >= U16) & ~in_store
        opp = either(takes, minus(opp, taken), opp)
        me = banked(me, where(takes, total(taken), U0))

    # Who moves next, and whether anybody does.
    a, b, again = opp, me, ~all_lanes()
    if t.rule.extra_turn:
        a, b, again = either(in_store, me, opp), either(in_store, opp, me), in_store
    stays = again
    mine, other = empty(a), empty(b)
    ends = mine
    if t.rule.end_when == WHEN_BOARD:
        ends = mine & other
        passes = mine & ~other
        a, b = either(passes, b, a), either(passes, a, b)
        stays = stays ^ passes
        again = again & ~passes
    elif t.rule.end_when != WHEN_NO_MOVE:
        ends = mine | other
    if t.rule.majority:
        ends = ends | (store(a) >= t.rule.win_seeds) | (store(b) >= t.rule.win_seeds)
    if t.rule.restricted_slam:
        ends = ends | empty(opp)
    place = load(s, AT + g)
    next_place = place + U1
    ends = ends | (next_place >= load(s, LIMIT + g))
    player = load(s, PLAYER + g)
    next_player = where(stays, player, player ^ U1)
    digest = turns = extra = next_digest = next_turns = next_extra = spread(U0)
    if moves is not None:
        digest, turns, extra = load(s, DIGEST + g), load(s, TURNS + g), load(s, EXTRA + g)
        next_digest, next_turns = digested(digest, pit), turns + (extra ^ U1)
        next_extra = where(again, U1, U0)
    seen = generation = slot = filed = noted = spread(U0)
    words = position_words(a, b, next_player)
    if t.rule.repeats:
        same = (store(me) == store(before_me)) & (store(opp) == store(before_opp))
        seen = where(same, load(s, SEEN + g), U0)
        generation = load(s, GENERATION + g) + where(same, U0, U1)
        slot, mark = filing(words)
        slot = load(s, FILTER + g) + slot
        filed = at(filters, slot)
        marks = current(filed, generation)
        noted = (generation << U32) | marks | mark
        ends = ends | ((marks & mark) == mark) | (seen >= room)
    care = care | (ends & done)
    if moves is not None:
        scatter(moves, place, pit)
    waiting = bits(care)

    if t.rule.relay or waiting != U0:
        # What stays where it was: lanes in the middle of a relay, and those that need care.
        moved = done & ~care
        a, b = either(moved, a, before_me), either(moved, b, before_opp)
        next_stream = where(moved, next_stream, stream)
        next_player = where(moved, next_player, player)
        next_place = where(moved, next_place, place)
        if moves is not None:
            next_digest = where(moved, next_digest, digest)
            next_turns = where(moved, next_turns, turns)
            next_extra = where(moved, next_extra, extra)
        laps = where(moved, laps, U0)
    save_row(s, ME + g, a)
    save_row(s, OPP + g, b)
    save(s, STREAM + g, next_stream)
    save(s, PLAYER + g, next_player)
    save(s, AT + g, next_place)
    if moves is not None:
        save(s, DIGEST + g, next_digest)
        save(s, TURNS + g, next_turns)
        if t.rule.extra_turn:
            save(s, EXTRA + g, next_extra)
    if t.rule.relay:
        save(s, LAPS + g, load(s, LAPS + g) + laps)
    if t.rule.repeats:
        moved = done & ~care
        entry = where(moved, seen, load(s, SEEN + g))
        base = (load(s, BASE + g) + entry) * U(len(words))
        for w in range(len(words)):
            scatter(history, base + U(w), words[w])
        save(s, SEEN + g, where(moved, seen + U1, entry))
        scatter(filters, slot, where(moved, noted, filed))
        save(s, GENERATION + g, where(moved, generation, load(s, GENERATION + g)))
    if t.rule.sunog:
        save(s, MOVER + g, where(done & ~care, player, load(s, MOVER + g)))
        mine_at, other_at = load(s, LAYOUT + g), load(s, LAYOUT2 + g)
        swaps = done & ~care & ~stays
        save(s, LAYOUT + g, where(swaps, other_at, mine_at))
        save(s, LAYOUT2 + g, where(swaps, mine_at, other_at))
    return waiting
