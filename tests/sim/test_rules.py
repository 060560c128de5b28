"""The rules model: what is refused, with which words, and what makes two rules one cell."""

import re
from typing import Any

import pytest
import random_rules
from hypothesis import given

from sim.errors import UserError
from sim.presets import load_variant, preset_names
from sim.rules import KEYS, Rules, Value, allowed

BASE: dict[str, Value] = {"board.pits": 6, "board.seeds": 4}


def rules(**keys: Any) -> Rules:
    """Rules on 6 pits of 4 seeds; keys are written with `__` for the dot."""
    return Rules.of({**BASE, **{name.replace("__", "."): value for name, value in keys.items()}})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("board.pits", 0),
        ("board.pits", 13),
        ("board.pits", "6"),
        ("board.pits", 6.0),
        ("board.pits", True),
        ("board.pits", None),
        ("board.seeds", 0),
        ("board.seeds", 21),
        ("board.direction", "left"),
        ("sowing.own_store", 1),
        ("sowing.relay", True),
        ("sowing.max_laps", 0),
        ("capture.kind", "all"),
        ("capture.counts", []),
        ("capture.counts", [0]),
        ("capture.counts", [2, "3"]),
        ("capture.counts", 2),
        ("play.must_feed", False),
        ("end.win_seeds", 0),
        ("end.win_seeds", "most"),
        ("end.repetition", 1),
        ("end.repetition", True),
        ("end.max_plies", 0),
        ("end.max_plies", 2**31),
        ("end.goal", ""),
        ("match.refill", 0),
        ("match.max_rounds", -1),
        pytest.param("match.max_rounds", 10**5000, id="huge"),
    ],
)
def test_a_value_that_is_not_allowed_is_named_with_what_is(name: str, value: Any) -> None:
    with pytest.raises(UserError) as caught:
        Rules.of({**BASE, name: value}, "mine.toml")
    message = str(caught.value)
    assert message.startswith(f"mine.toml: {name} = ")
    assert message.endswith(f"is not allowed: give {allowed(name)}")
    assert "\n" not in message


def test_every_bound_is_told() -> None:
    for name in ("sowing.max_laps", "end.win_seeds", "end.repetition", "end.max_plies"):
        with pytest.raises(UserError, match=r"an integer from \d to 2,147,483,647"):
            Rules.of({**BASE, name: 2**31})


@pytest.mark.parametrize("name", ["board.pitz", "pits", "board", "", "board.pits.x", "about.title"])
def test_an_unknown_key_is_an_error(name: str) -> None:
    with pytest.raises(UserError, match=f"there is no rule key '{name}'"):
        Rules.of({**BASE, name: 3})


def test_an_unknown_key_suggests_the_nearest() -> None:
    with pytest.raises(UserError, match=re.escape("(did you mean 'board.pits'?)")):
        Rules.of({**BASE, "board.pitz": 3})


@pytest.mark.parametrize("missing", BASE)
def test_board_keys_must_be_given(missing: str) -> None:
    with pytest.raises(UserError, match=f"{missing} is missing"):
        Rules.of({name: value for name, value in BASE.items() if name != missing})


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"board__pits": 12, "board__seeds": 11}, "the board holds 264 seeds"),
        ({"board__layout": [[4] * 6, [4] * 6]}, "both given"),
        ({"sowing__relay": "occupied", "capture__kind": "count"}, "capture.kind = 'count'"),
        ({"sowing__own_store": False, "sowing__opponent_store": True}, "sowing.opponent_store"),
        ({"end__goal": "empty-first", "end__win_seeds": 5}, "end.win_seeds"),
        ({"end__goal": "empty-first", "play__must_feed": "always"}, "play.must_feed"),
        ({"match__kind": "sunog", "end__win_seeds": "majority"}, "end.win_seeds"),
        (
            {"match__kind": "sunog", "end__repetition": 2, "end__on_repetition": "leave"},
            "end.on_repetition",
        ),
        ({"match__kind": "sunog", "end__goal": "empty-first"}, "end.goal"),
    ],
)
def test_an_impossible_combination_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        rules(**keys)


@pytest.mark.parametrize(
    "layout",
    [[[4] * 6], [[4] * 6, [4] * 5], [[4] * 6, [-1] + [4] * 5], [[0] * 6] * 2, [[50] * 6] * 2],
)
def test_a_layout_that_is_no_board_is_refused(layout: Any) -> None:
    with pytest.raises(UserError, match=r"layout|the board holds"):
        Rules.of({"board.pits": 6, "board.layout": layout})


def test_a_match_from_a_layout_needs_its_refill() -> None:
    keys: dict[str, Value] = {
        "board.pits": 2,
        "board.layout": [[1, 2], [0, 3]],
        "match.kind": "sunog",
    }
    with pytest.raises(UserError, match=r"match.refill is missing"):
        Rules.of(keys)
    assert Rules.of({**keys, "match.refill": 2}).refill == 2


def test_leave_without_repetition_is_no_contradiction() -> None:
    assert rules(match__kind="sunog", end__on_repetition="leave").match.kind == "sunog"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"board__direction": "cw"}),
        ({}, {"capture__counts": [4], "capture__grand_slam": "forbidden"}),
        ({"capture__kind": "opposite"}, {"capture__kind": "opposite", "capture__counts": [4]}),
        (
            {"capture__kind": "count"},
            {"capture__kind": "count", "capture__needs_opposite": False},
        ),
        (
            {"capture__kind": "count", "capture__counts": [2, 3]},
            {"capture__kind": "count", "capture__counts": [3, 2, 3]},
        ),
        ({}, {"sowing__max_laps": 5}),
        ({"sowing__relay": "occupied"}, {"sowing__relay": "occupied", "sowing__max_laps": 5}),
        (
            {"sowing__own_store": False},
            {"sowing__own_store": False, "sowing__extra_turn": False},
        ),
        ({}, {"end__on_repetition": "leave"}),
        (
            {"end__goal": "empty-first"},
            {"end__goal": "empty-first", "end__when": "no-move"},
        ),
        ({}, {"match__refill": 2, "match__reopen": False, "match__starter": "winner"}),
        ({"match__kind": "sunog"}, {"match__kind": "sunog", "match__refill": 4}),
        ({"end__win_seeds": "majority"}, {"end__win_seeds": 25}),
    ],
)
def test_rules_of_one_meaning_are_one_cell(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert rules(**one).id == rules(**other).id


def test_an_even_layout_is_the_same_cell_as_its_seeds() -> None:
    assert Rules.of({"board.pits": 6, "board.layout": [[4] * 6] * 2}).id == rules().id


@pytest.mark.parametrize(
    ("keys", "name", "value"),
    [
        ({}, "board__pits", 5),
        ({}, "board__seeds", 5),
        ({}, "sowing__own_store", False),
        ({}, "sowing__opponent_store", True),
        ({}, "sowing__skip_origin", True),
        ({}, "sowing__relay", "occupied"),
        ({"sowing__relay": "occupied", "sowing__own_store": False}, "sowing__max_laps", 5),
        ({}, "sowing__extra_turn", False),
        ({}, "capture__kind", "opposite"),
        ({"capture__kind": "opposite"}, "capture__needs_opposite", False),
        ({"capture__kind": "opposite"}, "capture__takes_own_seed", False),
        ({"capture__kind": "count"}, "capture__counts", [2]),
        ({"capture__kind": "count"}, "capture__grand_slam", "forbidden"),
        ({}, "play__must_feed", "always"),
        ({}, "end__when", "no-move"),
        ({}, "end__win_seeds", 30),
        ({}, "end__leftover", "opponent"),
        ({}, "end__repetition", 2),
        ({"end__repetition": 2}, "end__on_repetition", "leave"),
        ({}, "end__max_plies", 2000),
        ({}, "end__goal", "empty-first"),
        ({}, "match__kind", "sunog"),
        ({"match__kind": "sunog"}, "match__refill", 3),
        ({"match__kind": "sunog"}, "match__fill_from", "far"),
        ({"match__kind": "sunog"}, "match__reopen", False),
        ({"match__kind": "sunog"}, "match__starter", "loser"),
        ({"match__kind": "sunog"}, "match__max_rounds", 50),
    ],
)
def test_a_key_that_counts_makes_another_cell(keys: dict[str, Any], name: str, value: Any) -> None:
    assert rules(**keys).id != rules(**{**keys, name: value}).id


@given(random_rules.rules())
def test_what_counts_is_enough_to_build_the_same_cell(drawn: Rules) -> None:
    counting = {name: v for name, v in drawn.meaning().items() if v is not None}
    assert Rules.of(counting).id == drawn.id
    assert Rules.of({name: v for name, v in drawn.flat().items() if v is not None}) == drawn


def test_the_ids_of_the_presets_differ_but_for_direction_and_matches() -> None:
    ids = {name: load_variant(name).rules.id for name in preset_names()}
    # Congkak and Dakon differ in direction and in who begins a later round of a match.
    assert ids.pop("congkak") == ids["dakon"]
    assert len(set(ids.values())) == len(ids)


def test_majority_is_half_rounded_down_plus_one() -> None:
    assert rules(end__win_seeds="majority").win_seeds == 25
    odd = Rules.of({"board.pits": 1, "board.layout": [[3], [4]], "end.win_seeds": "majority"})
    assert odd.win_seeds == 4


def test_seeds_and_layout_replace_each_other() -> None:
    layout: Value = [[1] * 6, [2] * 6]
    uneven = rules().with_keys({"board.layout": layout})
    assert (uneven.board.seeds, uneven.start) == (None, layout)
    assert uneven.with_keys({"board.seeds": 4}) == rules()


def test_every_key_says_what_it_allows_and_means() -> None:
    for name, field in KEYS.items():
        assert field.description
        assert allowed(name)
