"""Hypothesis strategies: random rules that are possible, and random starts on their boards."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from sim.errors import UserError
from sim.referee import Position
from sim.rules import Rules, Value

Draw = Callable[[st.SearchStrategy[Any]], Any]

KEYS: dict[str, st.SearchStrategy[Any]] = {
    "board.pits": st.integers(1, 5),
    "board.seeds": st.integers(1, 5),
    "sowing.own_store": st.booleans(),
    "sowing.opponent_store": st.booleans(),
    "sowing.skip_origin": st.booleans(),
    "sowing.relay": st.sampled_from(["none", "occupied"]),
    "sowing.max_laps": st.integers(1, 30),
    "sowing.extra_turn": st.booleans(),
    "capture.kind": st.sampled_from(["none", "opposite", "count"]),
    "capture.needs_opposite": st.booleans(),
    "capture.takes_own_seed": st.booleans(),
    "capture.counts": st.lists(st.integers(1, 6), min_size=1, max_size=3),
    "capture.grand_slam": st.sampled_from(
        ["allowed", "forbidden", "no-capture", "leave-first", "leave-last"]
    ),
    "play.must_feed": st.sampled_from(["no", "when-empty", "always", "unless-only"]),
    "end.when": st.sampled_from(["side-empty", "board-empty", "no-move"]),
    "end.win_seeds": st.one_of(st.sampled_from(["none", "majority"]), st.integers(1, 20)),
    "end.leftover": st.sampled_from(["owner", "opponent"]),
    "end.repetition": st.one_of(st.just("none"), st.integers(2, 3)),
    "end.on_repetition": st.sampled_from(["owner", "leave"]),
    "end.max_plies": st.integers(1, 60),
    "end.goal": st.sampled_from(["most-seeds", "most-seeds", "empty-first"]),
    "match.kind": st.sampled_from(["single", "sunog"]),
    "match.refill": st.integers(1, 6),
    "match.fill_from": st.sampled_from(["near", "far"]),
    "match.reopen": st.booleans(),
    "match.starter": st.sampled_from(["unburnt", "loser", "winner", "last-mover", "alternate"]),
    "match.max_rounds": st.integers(1, 6),
}


@st.composite
def rules(draw: Draw, fixed: dict[str, Value] | None = None) -> Rules:
    """Any possible rules on a board of at most five pits a player, with some keys `fixed`."""
    fixed = fixed or {}
    keys = {name: draw(values) for name, values in KEYS.items()} | fixed
    if "board.seeds" not in fixed and draw(st.booleans()):
        del keys["board.seeds"]
        keys["board.layout"] = draw(_rows(keys["board.pits"], least=1))
    while True:
        try:
            return Rules.of(keys)
        except UserError as error:
            # Take one side of the contradiction away, drawn anew each time.
            clashing = [name for name in keys if name in str(error) and name not in fixed]
            del keys[draw(st.sampled_from(clashing))]


@st.composite
def starts(draw: Draw, rules: Rules) -> Position:
    """Any position on the board of these rules that may be given by hand."""
    pits = draw(_rows(rules.board.pits, least=0))
    stores = draw(st.tuples(st.integers(0, 20), st.integers(0, 20)))
    return Position.of(pits, stores, draw(st.integers(0, 1)))


def _rows(pits: int, least: int) -> st.SearchStrategy[list[list[int]]]:
    row = st.lists(st.integers(0, 8), min_size=pits, max_size=pits)
    return st.lists(row, min_size=2, max_size=2).filter(lambda rows: sum(map(sum, rows)) >= least)
