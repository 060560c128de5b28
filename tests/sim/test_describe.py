"""The rules as sentences: right for any keys, and silent where a key does not count."""

import itertools
import re
from typing import Any

import pytest
import random_rules
from hypothesis import given

from sim.describe import describe, toml
from sim.errors import UserError
from sim.presets import load_variant, parse_variant, preset_names
from sim.rules import Rules


def text(rules: Rules) -> str:
    return "\n".join(itertools.chain(*describe(rules).values()))


def variant(name: str, **keys: Any) -> Rules:
    return load_variant(name, {k.replace("__", "."): v for k, v in keys.items()}).rules


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (variant("sungka"), "Every pit starts with 7 seeds, 98 in all."),
        (variant("sungka"), "counter-clockwise; each player's store lies at the own right"),
        (variant("congkak"), "clockwise; each player's store lies at the own left"),
        (variant("sungka"), "a player whose row alone is empty passes"),
        (variant("sungka"), "falls into an occupied pit, on either side"),
        (variant("sungka"), "falls into the own store, the same player moves again"),
        (variant("sungka"), "the opponent's store is skipped"),
        (variant("basic"), "If the last seed falls into either store"),
        (variant("basic"), "The player whose row is empty first wins"),
        (variant("owari"), "A lap that comes round skips the pit that it was lifted from"),
        (variant("owari"), "that then holds 2 or 3"),
        (variant("owari"), "would take every seed of the opponent's row is illegal"),
        (variant("owari"), "A store holds 25 seeds or more, a majority"),
        (variant("owari"), "goes to the other player"),
        (variant("oware"), "legal but captures nothing"),
        (variant("oware", capture__counts=[4, 2, 3]), "that then holds 2, 3 or 4"),
        (variant("oware", end__repetition=13), "for the 13th time"),
        (variant("oware", end__repetition=3), "for the 3rd time"),
        (variant("awari"), "unless no other move is left."),
        (variant("awari"), "nobody collects"),
        (variant("kalah"), "If the facing pit is empty, nothing is captured."),
        (variant("kalah-empty-capture"), "the capturing seed goes to the store alone"),
        (variant("kalah", board__pits=1, board__seeds=1), "a row of 1 pit and a store"),
        (variant("kalah", board__pits=1, board__layout=[[1], [2]]), "player 1's with 2 seeds"),
        (variant("sungka", sowing__own_store=False), "A move that has sown 1000 laps"),
        (variant("sungka", match__kind="sunog", match__reopen=False), "stays closed for the rest"),
        (variant("kalah", match__kind="sunog", match__refill=3), "from it with 3 seeds each"),
        (variant("kalah", play__must_feed="always"), "has seeds but no legal move"),
    ],
)
def test_what_is_said(rules: Rules, sentence: str) -> None:
    assert sentence in text(rules)


@pytest.mark.parametrize(
    ("rules", "word"),
    [
        (variant("sungka"), "burnt"),
        (variant("sungka"), r"\d laps"),
        (variant("sungka"), "left in the rows"),  # both rows are empty
        (variant("sungka"), "time since"),
        (variant("easy"), "facing"),
        (variant("owari"), "falls into the own store"),
        (variant("basic"), "collected by|takes the own row|goes to"),
        (variant("kalah"), "has seeds but no legal move"),
        (variant("kalah", capture__takes_own_seed=False), "facing pit is empty"),
    ],
)
def test_what_does_not_count_is_not_said(rules: Rules, word: str) -> None:
    assert re.search(word, text(rules)) is None


SILENT = {"capture.needs_opposite", "end.leftover"}
"""Keys that may count for the id of a cell where they can make no difference in any game."""


@given(random_rules.rules(), random_rules.rules())
def test_different_games_never_read_alike(one: Rules, other: Rules) -> None:
    for name in one.meaning():
        keys = one.flat() | {name: other.flat()[name]}
        try:
            changed = Rules.of(keys)
        except UserError:  # no game
            continue
        if text(changed) == text(one):
            assert changed.id == one.id or name in SILENT


@pytest.mark.parametrize("name", preset_names())
def test_toml_is_the_presets_own_game(name: str) -> None:
    rules = load_variant(name).rules
    copy = parse_variant(toml(rules), "copy", "copy.toml").rules
    assert copy.id == rules.id
    assert copy.board.direction == rules.board.direction
    assert copy.match.starter == rules.match.starter


@given(random_rules.rules())
def test_toml_is_the_same_game(rules: Rules) -> None:
    assert parse_variant(toml(rules), "copy", "copy.toml").rules.id == rules.id
