"""Queries about strength, and komi: each figure against plain Python over the games."""

import itertools
import math
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from asked import answer
from made import Row, cell, given, played

from pipelines import connect
from reports.ratings import Meeting, rate
from reports.stats import share_interval

PLAYERS = ("random", "greedy:eps=0.1", "minimax:1,eps=0.1", "minimax:2,eps=0.1")
SPECS = ("random", "greedy,eps=0.1", "minimax:1,eps=0.1", "minimax:2,eps=0.1")
GAMES = 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cells = [
        cell(variant, pair, board_pits=4, board_seeds=3)
        for variant in ("kalah", "sungka")
        for pair in itertools.product(SPECS, repeat=2)
    ]
    return played(tmp_path_factory.mktemp("runs") / "d", cells, range(GAMES))


@pytest.fixture(scope="module")
def games(folder: Path) -> dict[tuple[str, str, str], list[float]]:
    """Return the first player's points in the games of each variant and pair of players."""
    sql = "SELECT variant, agent0, agent1, points0 FROM games JOIN cells USING (cell) ORDER BY game"
    found: dict[tuple[str, str, str], list[float]] = {}
    for *key, points in connect(folder).execute(sql).fetchall():
        found.setdefault(tuple(key), []).append(points)
    return found


def elo(share: float) -> float | None:
    return 400 * math.log10(share / (1 - share)) if 0 < share < 1 else None


def test_strength_is_of_players_against_themselves_the_weaker_first(
    folder: Path, games: dict[Any, list[float]]
) -> None:
    rows = answer(folder, "strength")
    for variant in ("kalah", "sungka"):
        mine = [row for row in rows if row["variant"] == variant]
        assert [row["agent0"] for row in mine] == list(PLAYERS)
        for row in mine:
            points = games[variant, row["agent0"], row["agent0"]]
            share = statistics.mean(points)
            low, high = share_interval(*([points.count(p)] for p in (1.0, 0.5, 0.0)))
            assert row["first_player_share"] == pytest.approx(share)
            ends = (row["share_low"], row["share_high"])
            assert ends == pytest.approx((low[0], high[0]))
            for name, at in (("elo", share), ("elo_low", low[0]), ("elo_high", high[0])):
                assert row[name] == pytest.approx(elo(at))
            assert row["draw_rate"] == pytest.approx(points.count(0.5) / GAMES)


def test_skill_is_of_doubled_budgets(folder: Path, games: dict[Any, list[float]]) -> None:
    rows = answer(folder, "skill")
    assert [(row["variant"], row["agent0"], row["agent1"]) for row in rows] == [
        (variant, PLAYERS[3], PLAYERS[2]) for variant in ("kalah", "sungka")
    ]
    for row in rows:
        first = games[row["variant"], PLAYERS[3], PLAYERS[2]]
        second = [1 - p for p in games[row["variant"], PLAYERS[2], PLAYERS[3]]]
        assert row["as_first"] == pytest.approx(statistics.mean(first))
        assert row["as_second"] == pytest.approx(statistics.mean(second))
        pairs = [(one + other) / 2 for one, other in zip(first, second, strict=True)]
        share, spread = statistics.mean(pairs), statistics.stdev(pairs)
        half = 2.022690920 * spread / math.sqrt(GAMES)  # Student's, of 39 degrees
        assert row["share"] == pytest.approx(share)
        ends = (row["share_low"], row["share_high"])
        assert ends == pytest.approx((max(0, share - half), min(1, share + half)), abs=1e-6)
        assert row["elo"] == pytest.approx(elo(share))


def test_ratings_are_those_of_all_games(folder: Path, games: dict[Any, list[float]]) -> None:
    rows = answer(folder, "ratings")
    assert len(rows) == 8
    for variant in ("kalah", "sungka"):
        met = []
        for i, j in itertools.product(range(4), repeat=2):
            points = games[variant, PLAYERS[i], PLAYERS[j]]
            met.append(Meeting(i, j, *(points.count(p) for p in (1.0, 0.5, 0.0))))
        fit = rate(4, met)
        mine = [row for row in rows if row["variant"] == variant]
        assert [row["rating"] for row in mine] == sorted(
            (row["rating"] for row in mine), reverse=True
        )
        for row in mine:
            place = PLAYERS.index(row["player"])
            assert row["rating"] == pytest.approx(fit.elo[place], abs=1e-6)
            reach = row["rating_high"] - row["rating"]
            assert reach == pytest.approx(1.959964 * fit.elo_error[place], rel=1e-5)
            assert row["advantage"] == pytest.approx(fit.advantage, abs=1e-6)
            assert row["draw_rate"] == pytest.approx(fit.draws)
            assert row["games"] == 6 * GAMES
            own = [games[variant, row["player"], other] for other in PLAYERS]
            others = [games[variant, other, row["player"]] for other in PLAYERS]
            points = sum(map(sum, own)) + sum(GAMES - sum(points) for points in others)
            self_play = GAMES  # of which a player wins as many points as it loses
            assert row["share"] == pytest.approx((points - self_play) / row["games"])


def test_elo_in_duels(folder: Path) -> None:
    for row in answer(folder, "duels"):
        assert row["elo"] == pytest.approx(elo(row["share"]))
        assert row["elo_low"] == pytest.approx(elo(row["share_low"]))
        assert 0.5 <= row["superiority"] <= 1


def best_komi(margins: list[int]) -> tuple[float, float]:
    """Return komi by trying all, and the share there."""
    found = []
    for doubled in range(-2 * 120, 2 * 120 + 1):
        komi = doubled / 2
        share = statistics.mean((m > komi) + (m == komi) / 2 for m in margins)
        found.append((round(abs(share - 0.5), 12), abs(komi), -komi, share))
    _, _, komi, share = min(found)
    return -komi, share


@pytest.mark.parametrize(
    "margins",
    [[5], [-3, 4], [0] * 10, [2, 2, 2, 8], [-6, -6, 1], [48] * 3 + [-48] * 3, [10, 12], [-8, -4],
     [1, -1, 3, -3, 5], [-40, 2, 2, 2, 2, 3]],
)  # fmt: skip
def test_komi_is_the_handicap_that_evens_the_games(tmp_path: Path, margins: list[int]) -> None:
    rows: list[Row] = [
        {"score0": 60 + margin, "score1": 60, "digest": place,
         "winner": None if not margin else int(margin < 0)}
        for place, margin in enumerate(margins)
    ]  # fmt: skip
    [row] = answer(given(tmp_path / "d", (cell(), rows)), "komi")
    komi, share = best_komi(margins)
    assert (row["komi"], row["komi_share"]) == pytest.approx((komi, share))
    counts = [sum(sign(m - komi) == s for m in margins) for s in (1, 0, -1)]
    low, high = share_interval(*([count] for count in counts))
    assert (row["komi_low"], row["komi_high"]) == pytest.approx((low[0], high[0]))


def sign(value: float) -> int:
    return (value > 0) - (value < 0)


def test_komi_of_random_margins(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for number in range(10):
        margins = (2 * rng.integers(-20, 24, rng.integers(1, 60))).tolist()
        rows: list[Row] = [{"score0": 60 + m, "score1": 60, "digest": m + 99} for m in margins]
        [row] = answer(given(tmp_path / str(number), (cell(), rows)), "komi")
        assert (row["komi"], row["komi_share"]) == pytest.approx(best_komi(margins))


def test_where_a_majority_ends_rounds_there_is_no_komi(tmp_path: Path) -> None:
    [row] = answer(given(tmp_path / "d", (cell("oware"), [{}, {}])), "komi")
    assert (row["komi"], row["komi_share"], row["komi_low"]) == (None, None, None)
