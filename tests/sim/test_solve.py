"""Whole games solved: as published, and as plain Python solves small ones over the referee."""

import csv
import random
import time
from functools import cache
from pathlib import Path

import pytest
from drawn import drawn_rules
from solved import solved as solved_in_python

from sim.endgames import endgames, look_up, solved_rules
from sim.presets import load_variant
from sim.referee import Game, Position, legal, step
from sim.referee.ends import collect, winner_of_round
from sim.rules import Rules, Value
from sim.solve import Solution, longest_round, solve

DATA = Path(__file__).parents[2] / "data"
NAMES = {"0": "kalah", "1": "kalah-empty-capture"}
OUTCOMES = {"W": "win", "D": "draw", "L": "loss"}
QUICK_SEEDS = 24  # on the board, which are solved in a second


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tables where no other test or earlier version has kept some."""
    monkeypatch.setattr("sim.endgames.cache_home", lambda: tmp_path)


def kalah(pits: int, seeds: int, name: str = "kalah", **keys: Value) -> Rules:
    dotted = {key.replace("__", "."): value for key, value in keys.items()}
    return load_variant(name, {"board.pits": pits, "board.seeds": seeds, **dotted}).rules


def published() -> list[object]:
    """Return the rows of both files of whole games of Kalah, the longer ones marked slow."""
    rows = []
    for kind in ("published", "computed"):
        for row in csv.DictReader((DATA / f"kalah_values_{kind}.csv").read_text().splitlines()):
            empty = row.get("empty_capture") or row["rule"].split(";")[0][-1]
            game = NAMES[empty], int(row["m"]), int(row["n"])
            slow = [pytest.mark.slow] if 2 * game[1] * game[2] > QUICK_SEEDS else []
            given = (*game, OUTCOMES[row["wld"]], int(row["margin"]) if row["margin"] else None)
            rows.append(pytest.param(*given, marks=slow, id="-".join([kind, *map(str, game)])))
    return rows


@pytest.mark.parametrize(("name", "pits", "seeds", "outcome", "margin"), published())
def test_whole_games_of_kalah(
    name: str, pits: int, seeds: int, outcome: str, margin: int | None
) -> None:
    solution = solve(kalah(pits, seeds, name))
    assert (solution.solved, solution.outcome, solution.notes) == (True, outcome, ())
    assert margin is None or solution.margin == margin
    assert solution.margin == max(solution.margin_of(move) for move in solution.moves)
    assert solution.best


@pytest.mark.slow
@pytest.mark.parametrize(("name", "margin"), [("kalah", 2), ("kalah-empty-capture", 2)])
def test_six_pits_with_three_seeds_take_less_than_ten_seconds(name: str, margin: int) -> None:
    solve(kalah(1, 1))  # compiles
    began = time.process_time()
    assert solve(kalah(6, 3, name)).margin == margin
    assert time.process_time() - began < 10


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES.values())
def test_five_pits_with_three_seeds_take_less_than_a_minute(name: str) -> None:
    assert solve(kalah(5, 3, name), seconds=60).solved


def in_python(rules: Rules) -> dict[int, int]:
    """Return each first move's value for player 0, by plain minimax over the referee."""

    def judged(position: Position, reason: str | None) -> int:
        if reason is None:
            return value(position)
        final = collect(rules, position, reason)  # type: ignore[arg-type]
        if rules.end.goal == "empty-first":
            winner = winner_of_round(rules, final, reason)  # type: ignore[arg-type]
            return 0 if winner is None else 1 - 2 * winner
        return final.stores[0] - final.stores[1]

    @cache
    def value(position: Position) -> int:
        best = min if position.to_move else max
        return best(judged(*step(rules, position, pit)) for pit in legal(rules, position))

    game = Game(rules)
    return {pit: judged(*step(rules, game.position, pit)) for pit in game.legal}


def compare(rules: Rules) -> Solution:
    """Compare a solution with plain Python's, move by move."""
    solution = solve(rules, memory=1 << 20)
    right = in_python(rules)
    assert solution.solved, rules
    assert {move.pit: (move.low, move.high) for move in solution.moves} == {
        pit: (value, value) for pit, value in right.items()
    }, rules
    best = min if solution.to_move else max
    if right:
        assert solution.low == solution.high == best(right.values())
        assert solution.best == tuple(p for p, v in right.items() if v == solution.low)
    else:
        game = Game(rules)
        assert game.over
        assert rules.end.goal == "empty-first" or solution.margin == game.score[0] - game.score[1]
    return solution


def drawn(draw: random.Random) -> Rules:
    """Draw rules of every kind whose sowing passes the own store, on a small board."""
    pits, most = draw.choice([(1, 8), (2, 8), (3, 9), (4, 8)])
    row = [[draw.choice([0, 0, 1, 2]) for _ in range(pits)] for _ in range(2)]
    keys: dict[str, Value] = {
        "board.pits": pits, "sowing.own_store": True, "match.kind": "single",
        "end.max_plies": 10_000,
    }  # fmt: skip
    if draw.random() < 0.4 and sum(map(sum, row)) > 0:
        keys["board.layout"] = row
    else:
        keys["board.seeds"] = draw.randint(1, max(1, most // (2 * pits)))
    rules = drawn_rules(draw).with_keys(keys)
    if draw.random() < 0.3 and rules.end.goal == "most-seeds":
        rules = rules.with_keys({"end.win_seeds": draw.randint(1, rules.total)})
    return rules


def test_random_rules_as_plain_minimax_has_them() -> None:
    draw = random.Random(7)
    moves = sum(len(compare(drawn(draw)).moves) for _ in range(100))
    assert moves > 100


@pytest.mark.slow
def test_more_random_rules_as_plain_minimax_has_them() -> None:
    draw = random.Random(8)
    for _ in range(1000):
        compare(drawn(draw))


@pytest.mark.parametrize(
    ("name", "pits", "seeds", "keys"),
    [
        ("kalah", 3, 2, {"sowing__extra_turn": False}),
        ("kalah", 3, 2, {"end__win_seeds": "majority"}),
        ("kalah", 3, 2, {"end__win_seeds": 3}),
        ("sungka", 3, 2, {}),  # relays, and passes until the board is empty
        ("sunka", 3, 2, {}),
        ("dakon", 2, 3, {}),
        ("easy", 3, 2, {}),
        ("basic", 2, 3, {}),  # the first empty row wins
        pytest.param(  # two words a row: compiles for half a minute
            "kalah",
            8,
            1,
            {"board__layout": [[0] * 7 + [2], [1, *[0] * 5, 1, 1]]},
            marks=pytest.mark.slow,
        ),
        ("sungka", 2, 1, {"board__layout": [[0, 0], [2, 1]]}),  # player 0 has to pass
        ("kalah", 2, 1, {"board__layout": [[0, 0], [2, 1]]}),  # over before it begins
    ],
)
def test_games_of_all_kinds_as_plain_minimax_has_them(
    name: str, pits: int, seeds: int, keys: dict[str, Value]
) -> None:
    if "board__layout" in keys:
        rules = load_variant(
            name, {"board.pits": pits, "board.layout": keys["board__layout"]}
        ).rules
    else:
        rules = kalah(pits, seeds, name, **keys)
    compare(rules)


def test_who_passes_at_the_start_leaves_the_first_move_to_the_other() -> None:
    rules = load_variant("sungka", {"board.pits": 2, "board.layout": [[0, 0], [2, 1]]}).rules
    solution = solve(rules)
    assert solution.to_move == 1
    assert solution.margin == min(move.low for move in solution.moves)


def test_a_start_that_is_over_has_its_value_and_no_moves() -> None:
    rules = load_variant("kalah", {"board.pits": 2, "board.layout": [[0, 0], [2, 1]]}).rules
    solution = solve(rules)
    assert (solution.solved, solution.margin, solution.outcome) == (True, -3, "loss")
    assert (solution.moves, solution.positions) == ((), 0)


def test_where_the_first_empty_row_wins_there_is_no_margin() -> None:
    solution = solve(kalah(3, 3, "basic"))
    assert (solution.solved, solution.margin, solution.in_seeds) == (True, None, False)
    assert solution.outcome in OUTCOMES.values()
    assert {solution.margin_of(move) for move in solution.moves} == {None}


NO_STORES: dict[str, Value] = {"sowing__own_store": False, "sowing__opponent_store": False}


@pytest.mark.parametrize(
    ("name", "pits", "seeds", "keys"),
    [
        ("oware", 2, 3, {}),
        ("awari", 2, 3, {}),
        ("basic", 2, 2, NO_STORES),  # the first empty row wins
        ("sungka", 2, 2, NO_STORES),  # relays that may not end, and passes
        ("sungka", 2, 3, NO_STORES),
        ("kalah", 3, 1, NO_STORES),
    ],
)
def test_games_in_which_play_can_go_in_circles(
    name: str, pits: int, seeds: int, keys: dict[str, Value]
) -> None:
    rules = kalah(pits, seeds, name, **keys)
    solution = solve(rules)
    table_rules, notes = solved_rules(rules)
    right = solved_in_python(table_rules, rules.total).values
    assert (solution.solved, list(solution.notes)) == (True, notes)
    assert solution.low == right[tuple(tuple(row) for row in rules.start)]
    for move in solution.moves:
        after = Game(table_rules)
        after.move(move.pit)
        worth = after.score[0] - after.score[1]
        if rules.end.goal == "empty-first":
            worth = 0 if after.winner is None else 1 - 2 * after.winner
        if not after.over:
            sign = 1 - 2 * after.position.to_move
            worth += sign * right[after.position.pits[::sign]]
        assert move.low == move.high == worth
    assert solution.low == max(move.low for move in solution.moves)


def test_oware_of_three_by_three_equals_its_table() -> None:
    rules = kalah(3, 3, "oware")
    value, _ = look_up(endgames(rules, rules.total), rules.start)
    solution = solve(rules)
    assert solution.margin == value
    assert [note.split()[0] for note in solution.notes] == [
        "end.win_seeds", "end.repetition", "end.max_plies",
    ]  # fmt: skip


def test_no_random_round_is_longer_than_the_bound() -> None:
    draw = random.Random(3)
    for _ in range(300):
        rules = drawn(draw).with_keys({"end.repetition": 2})
        game = Game(rules)
        while not game.over:
            game.move(draw.choice(game.legal))
        assert len(game.moves) <= longest_round(rules)
        assert game.reason != "repetition"
