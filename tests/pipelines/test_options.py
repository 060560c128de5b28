"""`--set KEY=VALUE`, and lists and ranges of numbers."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.options import one_each, parse_ints, parse_set
from sim.errors import UserError


@pytest.mark.parametrize(
    ("item", "value"),
    [
        ("board.pits=5", 5),
        ("board.pits = 5 ", 5),
        ("sowing.own_store=false", False),
        ("end.win_seeds=majority", "majority"),
        ("end.win_seeds=none", "none"),
        ('end.win_seeds="none"', "none"),
        ("capture.counts=[2, 3]", [2, 3]),
        ("board.layout=[[1, 2], [0, 3]]", [[1, 2], [0, 3]]),
        ("board.pits=", ""),
        ("board.pits=5.5", 5.5),
        ("board.pits=5 # five", 5),
        ("board.pits=5\nseeds = 3", "5\nseeds = 3"),
        ("board.pits=[5", "[5"),
        ("end.when=a=b", "a=b"),
        (f"board.pits={'9' * 5000}", "9" * 5000),
    ],
    ids=lambda part: repr(part)[:40],
)
def test_a_value_is_toml_where_it_parses(item: str, value: Any) -> None:
    (values,) = parse_set([item]).values()
    assert values == [value]
    assert type(values[0]) is type(value)


def test_a_repeated_key_has_several_values_in_order() -> None:
    items = ["board.pits=5", "end.win_seeds=none", "board.pits=4", "board.pits=5"]
    assert parse_set(items) == {"board.pits": [5, 4, 5], "end.win_seeds": ["none"]}


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (["board.pits"], "--set board.pits: give KEY=VALUE"),
        (["board.pitz=5"], r"no rule key 'board.pitz' \(did you mean 'board.pits'\?\)"),
        (["=5"], "no rule key ''"),
        (["capture.counts=3"], r"capture.counts takes a list of sizes .*, such as \[3\]"),
        (
            ["capture.counts=[2]", "capture.counts=3"],
            r"--set capture.counts=3: capture.counts takes",
        ),
        (["capture.counts=[[2], [3]]"], r"such as \[3\]; repeat --set to sweep over it"),
        (
            ["board.layout=[1, 2]"],
            r"board.layout takes two lists .*, such as \[\[1, 2\], \[2, 1\]\]",
        ),
        (["board.pits=[5, 6]"], "board.pits takes an integer from 1 to 12; repeat --set"),
    ],
)
def test_an_item_that_is_wrong(items: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        parse_set(items)


def test_a_list_that_is_one_value_is_swept_over_by_repetition() -> None:
    assert parse_set(["capture.counts=[2]", "capture.counts=[2, 3]"]) == {
        "capture.counts": [[2], [2, 3]]
    }


def test_one_each_refuses_a_sweep() -> None:
    assert one_each(parse_set(["board.pits=5"])) == {"board.pits": 5}
    with pytest.raises(UserError, match=r"--set board\.pits is given 2 times"):
        one_each(parse_set(["board.pits=5", "board.pits=4"]))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("5", [5]),
        ("5,6,7", [5, 6, 7]),
        ("3..7", [3, 4, 5, 6, 7]),
        ("7..7", [7]),
        ("1..3, 8 , 5", [1, 2, 3, 8, 5]),
        ("0", [0]),
        ("3..5,4", [3, 4, 5, 4]),
    ],
)
def test_numbers_and_inclusive_ranges(text: str, numbers: list[int]) -> None:
    assert parse_ints(text, "--pits") == numbers


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("7..3", "the range 7..3 is empty"),
        ("", "give numbers such as"),
        ("5,", "give numbers such as"),
        ("five", "give numbers such as"),
        ("-5", "give numbers such as"),
        ("5.5", "give numbers such as"),
        ("3...7", "give numbers such as"),
        ("3..", "give numbers such as"),
        ("3-7", "give numbers such as"),
        ("٣", "give numbers such as"),
        ("9" * 5000, "give numbers such as"),
        ("0..999999999", "is too long"),
    ],
    ids=lambda part: repr(part)[:40],
)
def test_numbers_that_are_wrong(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        parse_ints(text, "--pits")
    assert str(caught.value).startswith("--pits ")


@given(st.text(max_size=12))
def test_any_text_is_numbers_or_an_error_for_the_user(text: str) -> None:
    with contextlib.suppress(UserError):
        assert parse_ints(text, "--pits")


@given(st.text(max_size=20))
def test_any_value_is_read(text: str) -> None:
    assert list(parse_set([f"board.pits={text}"])) == ["board.pits"]
