"""Queries that compare cells: each figure against plain Python, and how often intervals hold."""

import itertools
import math
import random
import statistics
from pathlib import Path

import numpy as np
import pytest
from asked import answer
from made import Row, cell, given, played
from scipy.stats import norm

from pipelines.cells import Cell
from reports.report import render
from reports.stats import Z, share_interval
from sim.errors import UserError

BOARDS = [(4, 3), (4, 4), (5, 3)]
CELLS: dict[tuple[str, int, int, str], Cell] = {
    (variant, pits, seeds, agent): cell(variant, (agent, agent), board_pits=pits, board_seeds=seeds)
    for variant in ("kalah", "owari")
    for pits, seeds in BOARDS
    for agent in ("random", "greedy")
}
RESULTS: dict[str, list[tuple[int, int]]] = {}


def invented(seed: int) -> list[Row]:
    """Return games that are won, drawn and lost at a rate of their own."""
    choose = random.Random(seed)
    rate, drawn = choose.uniform(0.35, 0.65), choose.uniform(0, 0.2)
    games = []
    for number in range(choose.randint(150, 260)):
        draw, roll = choose.random() < drawn, choose.random()
        winner = None if draw else int(roll > rate)
        margin = {None: 0, 0: 1, 1: -1}[winner] * choose.randint(1, 10)
        games.append(
            {"winner": winner, "score0": 12 + margin, "score1": 12, "plies": choose.randint(9, 60),
             "digest": number}
        )  # fmt: skip
    return games


GAMES = {key: invented(place) for place, key in enumerate(CELLS)}
KEYS = {CELLS[key].id: key for key in CELLS}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return given(tmp_path_factory.mktemp("runs"), *((CELLS[key], GAMES[key]) for key in CELLS))


def points(games: list[Row]) -> list[float]:
    return [{0: 1.0, None: 0.5, 1: 0.0}[game["winner"]] for game in games]


def ends(games: list[Row]) -> tuple[float, float]:
    winners = [game["winner"] for game in games]
    low, high = share_interval(*([winners.count(result)] for result in (0, None, 1)))
    return low[0], high[0]


def newcombe(one: list[Row], other: list[Row]) -> tuple[float, float, float, float]:
    """Return the difference of two shares, its interval and p."""
    (l1, u1), (l2, u2) = ends(one), ends(other)
    s1, s2 = statistics.mean(points(one)), statistics.mean(points(other))
    difference = s2 - s1
    below, above = math.hypot(u1 - s1, s2 - l2), math.hypot(s1 - l1, u2 - s2)
    reach = below if difference > 0 else above
    p = 2 * norm.sf(abs(difference) * Z / reach)
    return difference, difference - below, difference + above, float(p)


def neighbours() -> set[tuple[str, str, str]]:
    """Return the cells that differ in one key, and which, in both orders."""
    names = ("variant", "pits", "seeds", "agents")
    found = set()
    for one, other in itertools.permutations(CELLS, 2):
        differing = [name for name, a, b in zip(names, one, other, strict=True) if a != b]
        if len(differing) == 1:
            found.add((CELLS[one].id, differing[0], CELLS[other].id))
    return found


def test_cells_that_differ_in_one_key_are_compared_once(folder: Path) -> None:
    rows = answer(folder, "comparisons")
    found = {(row["cell"], row["key"], row["other"]) for row in rows}
    both = found | {(other, key, cell) for cell, key, other in found}
    assert both == neighbours()
    assert 2 * len(rows) == len(both)
    for row in rows:
        assert row["from_value"] != row["to_value"]
        if row["key"] in ("pits", "seeds"):
            assert int(row["from_value"]) < int(row["to_value"])


def test_differences_have_newcombes_interval_and_adjusted_p(folder: Path) -> None:
    rows = answer(folder, "comparisons")
    for row in rows:
        one, other = (GAMES[KEYS[row[name]]] for name in ("cell", "other"))
        names = ("difference", "difference_low", "difference_high", "p")
        assert [row[name] for name in names] == pytest.approx(newcombe(one, other), abs=1e-9)
        assert row["paired"] is None
        for figure, of in (
            ("margin_difference", lambda game: game["score0"] - game["score1"]),
            ("plies_difference", lambda game: game["plies"]),
        ):
            means = [statistics.mean(map(of, games)) for games in (one, other)]
            assert row[figure] == pytest.approx(means[1] - means[0])
    adjusted = 1.0
    ranked = sorted(rows, key=lambda row: row["p"])
    for rank, row in reversed(list(enumerate(ranked, 1))):
        adjusted = min(adjusted, row["p"] * len(rows) / rank)
        assert row["q"] == pytest.approx(adjusted)


def test_an_interval_without_zero_goes_with_a_small_p(folder: Path) -> None:
    rows = answer(folder, "comparisons")
    assert any(row["p"] < 0.05 for row in rows)
    for row in rows:
        assert (row["p"] < 0.05) == (not row["difference_low"] <= 0 <= row["difference_high"])


def test_games_with_one_opening_are_compared_pair_by_pair(tmp_path: Path) -> None:
    pairs = [("random", "random"), ("greedy", "random"), ("random", "greedy")]
    cells = [cell("kalah", agents, opening_plies=3) for agents in pairs]
    folder = played(tmp_path / "d", cells, range(150))
    rows = answer(folder, "comparisons")
    games = {c.id: answer_games(folder, c.id) for c in cells}
    assert {row["key"] for row in rows} == {"agents"}
    assert len(rows) == 3
    for row in rows:
        differences = [
            after - before
            for before, after in zip(games[row["cell"]], games[row["other"]], strict=True)
        ]
        mean, spread = statistics.mean(differences), statistics.stdev(differences)
        error = spread / math.sqrt(150)
        assert row["paired"] == 150
        assert row["difference"] == pytest.approx(mean)
        assert row["p"] == pytest.approx(2 * norm.sf(abs(mean) / error), abs=1e-12)
        half = (row["difference_high"] - row["difference_low"]) / 2
        assert half == pytest.approx(1.976013178 * error, rel=1e-4)  # Student's, of 149 degrees


def answer_games(folder: Path, ident: str) -> list[float]:
    from pipelines import connect

    sql = "SELECT points0 FROM games WHERE cell = $1 ORDER BY game"
    return [value for (value,) in connect(folder).execute(sql, [ident]).fetchall()]


def test_effects_are_mean_differences_of_matched_cells(folder: Path) -> None:
    rows = {(row["key"], row["value"]): row for row in answer(folder, "effects")}
    assert set(rows) == {("variant", "owari"), ("pits", "5"), ("seeds", "4"),
                         ("agents", "random – random")}  # fmt: skip
    assert rows["pits", "5"]["first_value"] == "4"
    names = {"variant": 0, "pits": 1, "seeds": 2, "agents": 3}
    for (key, _), row in rows.items():
        couples = []
        for one, other in itertools.permutations(CELLS, 2):
            rest = [one[i] == other[i] for i in range(4) if i != names[key]]
            first = row["first_value"].split(" – ")[0]
            if all(rest) and str(one[names[key]]) == first and one != other:
                couples.append((GAMES[one], GAMES[other]))
        differences = [statistics.mean(points(b)) - statistics.mean(points(a)) for a, b in couples]
        assert row["couples"] == len(couples)
        assert row["effect"] == pytest.approx(statistics.mean(differences))
        assert (row["least"], row["most"]) == pytest.approx((min(differences), max(differences)))
        widths = [high - low for couple in couples for low, high in map(ends, couple)]
        reach = math.sqrt(sum((width / 2) ** 2 for width in widths)) / len(couples)
        ends_found = (row["effect_low"], row["effect_high"])
        assert ends_found == pytest.approx((row["effect"] - reach, row["effect"] + reach))


def test_rule_keys_are_compared_and_what_goes_with_a_board_is_not(tmp_path: Path) -> None:
    cells = [
        cell("oware", board_pits=pits, capture_grand_slam=slam)
        for pits in (5, 6) for slam in ("allowed", "no-capture")
    ]  # fmt: skip
    folder = played(tmp_path / "d", cells, range(50))
    found = {
        (row["key"], row["from_value"], row["to_value"]) for row in answer(folder, "comparisons")
    }
    assert found == {("pits", "5", "6"), ("capture.grand_slam", "allowed", "no-capture")}


@pytest.mark.parametrize("within", [0.02, 0.05, 0.2])
def test_fair_is_what_two_one_sided_tests_show(folder: Path, within: float) -> None:
    verdicts = set()
    for row in answer(folder, "fairness", within=within):
        games = GAMES[KEYS[row["cell"]]]
        winners = [game["winner"] for game in games]
        counts = [[winners.count(result)] for result in (0, None, 1)]
        low, high = (end[0] for end in share_interval(*counts, z=1.6448536269514722))
        outer = ends(games)
        assert (row["fair_low"], row["fair_high"]) == pytest.approx((low, high))
        fair = 0.5 - within < low and high < 0.5 + within
        unfair = outer[0] > 0.5 + within or outer[1] < 0.5 - within
        expected = "fair" if fair else "unfair" if unfair else "undecided"
        assert row["verdict"] == expected
        assert (row["p"] < 0.05) == fair
        assert row["bound"] == within
        verdicts.add(expected)
    assert len(verdicts) > 1


def test_ranking_is_by_what_the_user_says(folder: Path) -> None:
    rows = answer(folder, "ranking")
    shares = [abs(row["first_player_share"] - 0.5) for row in rows]
    assert [row["criterion"] for row in rows] == pytest.approx(sorted(shares))
    assert rows[0]["rank"] == 1
    text = render([folder], "ranking", format="csv", rank_by="-plies_mean")
    heading, *lines = [line.split(",") for line in text.splitlines()]
    plies = [float(line[heading.index("plies_mean")]) for line in lines]
    assert plies == sorted(plies, reverse=True)
    for wrong in ("sharr", "1; DROP VIEW balance", "count(*)", "'a'", ""):
        with pytest.raises(UserError) as refused:
            render([folder], "ranking", rank_by=wrong)
        assert "\n" not in str(refused.value)


def test_cells_without_a_difference_to_tell(tmp_path: Path) -> None:
    """No game, one game, draws alone, one game a thousand times: nothing is divided by zero."""
    draws: list[Row] = [{"winner": None, "score0": 24, "score1": 24}] * 100
    same: list[Row] = [{"winner": 0}] * 1000
    boards: list[tuple[int, list[Row]]] = [(3, []), (4, [{}]), (5, draws), (6, same)]
    folder = given(tmp_path / "d", *((cell(board_pits=pits), games) for pits, games in boards))
    rows = answer(folder, "comparisons")
    assert len(rows) == 3
    for row in rows:
        assert row["difference_low"] <= row["difference"] <= row["difference_high"]
        assert 0 <= row["p"] <= row["q"] <= 1
    assert len(answer(folder, "effects")) == 2
    assert {row["verdict"] for row in answer(folder, "fairness")} == {"undecided", "fair", "unfair"}
    assert len(answer(folder, "ranking")) == 3


@pytest.mark.parametrize("runs", [2_000, pytest.param(60_000, marks=pytest.mark.slow)])
def test_the_interval_of_a_difference_holds(runs: int) -> None:
    """Averaged over shares and rates of draws, of fifty games and more."""
    rng = np.random.default_rng(1)
    held = 0
    counts = []
    truths = []
    for _ in range(runs):
        truth = []
        for _ in range(2):
            drawn = rng.uniform(0, 0.5)
            share = rng.uniform(0.05 + drawn / 2, 0.95 - drawn / 2)
            truth.append(share)
            rates = [share - drawn / 2, drawn, 1 - share - drawn / 2]
            counts.append(rng.multinomial(rng.integers(50, 1000), rates))
        truths.append(truth[1] - truth[0])
    low, high = share_interval(*np.array(counts).T)
    n = np.array(counts).sum(axis=1)
    share_ = (np.array(counts)[:, 0] + np.array(counts)[:, 1] / 2) / n
    below = np.hypot(high[::2] - share_[::2], share_[1::2] - low[1::2])
    above = np.hypot(share_[::2] - low[::2], high[1::2] - share_[1::2])
    difference = share_[1::2] - share_[::2]
    held = np.mean((difference - below <= truths) & (np.array(truths) <= difference + above))
    assert 0.94 <= held <= 0.97
