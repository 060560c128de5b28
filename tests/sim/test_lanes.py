"""Games that are played in step are the games that are played one by one."""

from dataclasses import fields, replace
from random import Random

import numpy as np
import pytest
from drawn import drawn_rules

import sim.playing
from sim.agents import parse_agent
from sim.games import Games, trimmed
from sim.kernel.lanes import play_in_step
from sim.kernel.names import REASONS
from sim.kernel.play import play_games
from sim.playing import play
from sim.presets import load_variant, preset_names
from sim.room import buffers
from sim.rules import Rules
from sim.tables import tables, words_of

PLAYERS = (parse_agent("random"), parse_agent("random"))


def one_by_one(rules: Rules, key: int, first: int, count: int) -> Games:
    out = buffers(count, 1 << 22, 2 * words_of(rules.board.pits))
    done = play_games(tables(rules), np.uint64(key), first, count, out, None)
    assert done == count
    return trimmed(out, first, done)


def assert_equal(games: Games, others: Games) -> None:
    for field in fields(Games):
        assert np.array_equal(getattr(games, field.name), getattr(others, field.name)), field.name


@pytest.mark.parametrize("name", preset_names())
@pytest.mark.parametrize("pits", [3, 6, 7, 8, 12])
def test_presets_on_boards_of_every_width(name: str, pits: int) -> None:
    rules = load_variant(name, {"board.pits": pits, "board.seeds": 4}).rules
    games = play(rules, PLAYERS, key=5, first=11, count=2_000)
    assert_equal(games, one_by_one(rules, 5, 11, games.count))


@pytest.mark.parametrize("seed", range(200))
def test_random_rules(seed: int) -> None:
    rules = drawn_rules(Random(seed))
    games = play(rules, PLAYERS, key=seed, first=0, count=150)
    assert_equal(games, one_by_one(rules, seed, 0, games.count))


@pytest.mark.parametrize("count", [1, 2, 31, 32, 33, 257])
def test_any_number_of_games(count: int) -> None:
    rules = load_variant("sungka").rules
    games = play(rules, PLAYERS, key=1, first=1_000, count=count)
    assert games.count == count
    assert_equal(games, one_by_one(rules, 1, 1_000, count))


def test_where_memory_is_short_the_first_games_come_whole_and_the_rest_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = load_variant("sungka", {"match.kind": "sunog"}).rules
    whole = one_by_one(rules, 3, 0, 40)
    monkeypatch.setattr(sim.playing, "MOVES_PER_BATCH", 1 << 17)  # a lane has room for half a match
    got, parts = 0, []
    while got < 40:
        parts.append(play(rules, PLAYERS, 3, got, 40 - got))
        got += parts[-1].count
    assert len(parts) > 1
    for name in ("scores", "plies", "turns", "laps", "digest", "moves", "round_scores"):
        joined = np.concatenate([getattr(part, name) for part in parts])
        assert np.array_equal(joined, getattr(whole, name)), name


def test_a_round_that_is_over_before_it_begins_is_a_game_without_moves() -> None:
    layout = {"board.layout": [[0] * 6, [1] * 6], "end.when": "side-empty"}
    rules = load_variant("kalah", layout).rules
    games = play(rules, PLAYERS, key=1, first=0, count=100)
    assert games.count == 100
    assert not games.plies.any()
    assert not games.rounds.any()
    assert {REASONS[reason] for reason in games.reason} == {"side-empty"}


def test_what_is_returned_stays_when_more_is_played() -> None:
    rules = load_variant("kalah").rules
    games = play(rules, PLAYERS, key=1, first=0, count=500)
    kept = replace(games, **{f.name: np.copy(getattr(games, f.name)) for f in fields(Games)[1:]})
    play(rules, PLAYERS, key=2, first=0, count=500)
    assert_equal(games, kept)


def test_it_is_what_random_players_use(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def spy(*args: object) -> int:
        calls.append(args)
        return play_in_step(*args)

    monkeypatch.setattr(sim.playing, "play_in_step", spy)
    play(load_variant("kalah").rules, PLAYERS, key=1, first=0, count=1)
    assert len(calls) == 1


def test_games_that_fill_a_lanes_memory_leave_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lane's second match is what does not fit: the first ones are kept, its neighbours' too."""
    rules = load_variant("sungka", {"match.kind": "sunog", "match.max_rounds": 95}).rules
    monkeypatch.setattr(sim.playing, "MOVES_PER_BATCH", 1 << 17)
    got = 0
    while got < 120:
        games = play(rules, PLAYERS, 3, got, 120 - got)
        assert_equal(games, one_by_one(rules, 3, got, games.count))
        got += games.count


@pytest.mark.parametrize("plies", [32_700, 32_768, 32_800, 33_000])
def test_rounds_as_long_as_a_lanes_memory(plies: int) -> None:
    keys = {
        "sowing.own_store": False, "capture.kind": "none", "board.pits": 5, "board.seeds": 3,
        "end.max_plies": plies,
    }  # fmt: skip
    rules = load_variant("kalah", keys).rules
    games = play(rules, PLAYERS, key=1, first=0, count=40)
    assert len(games.moves) == games.plies.sum()
    assert_equal(games, one_by_one(rules, 1, 0, games.count))
