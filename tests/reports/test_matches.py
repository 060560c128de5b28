"""The figures of matches, recomputed from games that the referee replays."""

import json
import math
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import duckdb
import numpy as np
import pytest
from made import cell, played

from pipelines.views import connect
from reports import functions
from reports.library import load_query
from reports.report import render
from reports.stats import share_interval, student
from sim.referee import Game
from sim.referee.game import Round

KEYS: dict[str, Any] = {"match_kind": "sunog", "match_reopen": False, "match_max_rounds": 30}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cells = [cell("sungka", board_pits=3, board_seeds=3, **KEYS), cell("kalah")]
    return played(tmp_path_factory.mktemp("matches"), cells, range(150))


@pytest.fixture(scope="module")
def matches(folder: Path) -> list[Game]:
    with connect(folder) as connection:
        lists = connection.execute(
            "SELECT list(move_list ORDER BY round) FROM rounds JOIN cells USING (cell)"
            " WHERE match_kind = 'sunog' GROUP BY game ORDER BY game"
        ).fetchall()
    games = []
    for [rounds] in lists:
        game = Game(cell("sungka", board_pits=3, board_seeds=3, **KEYS).rules)
        for pit in (pit for moves in rounds for pit in moves):
            game.move(pit)
        games.append(game)
    return games


def points(winner: int | None, player: int) -> float:
    return 0.5 if winner is None else float(winner == player)


def leader(played_round: Round) -> int:
    score0, score1 = played_round.score
    return (score0 > score1) - (score0 < score1)


def test_the_matches_query_equals_the_referee(folder: Path, matches: list[Game]) -> None:
    [row] = json.loads(render([folder], query="matches", format="json"))["rows"]
    rounds = [len(game.rounds) for game in matches]
    assert row["matches"] == len(matches) == 150
    assert row["burnt_out"] == mean(game.reason == "burnt-out" for game in matches)
    assert row["max_rounds"] == mean(game.reason == "max-rounds" for game in matches)
    assert row["burnt_out"] + row["max_rounds"] == pytest.approx(1)
    assert 0 < row["burnt_out"] < 1
    assert (row["rounds_mean"], row["rounds_max"]) == (pytest.approx(mean(rounds)), max(rounds))
    assert row["rounds_median"] == sorted(rounds)[74]
    shares = [points(game.winner, 0) for game in matches]
    assert row["match_share"] == pytest.approx(mean(shares))
    [low], [high] = share_interval(
        [shares.count(1)], [shares.count(0.5)], [shares.count(0)]
    )  # fmt: skip
    assert (row["match_low"], row["match_high"]) == (pytest.approx(low), pytest.approx(high))
    won = [sum(points(r.winner, r.first_player) for r in game.rounds) for game in matches]
    share = sum(won) / sum(rounds)
    assert row["round_share"] == pytest.approx(share)
    errors = [y - share * m for y, m in zip(won, rounds, strict=True)]
    half = student(149) * stdev(errors) / mean(rounds) / math.sqrt(150)
    assert row["round_low"] == pytest.approx(share - half)
    assert row["round_high"] == pytest.approx(share + half)
    burnt = sum(sum(r.burnt) for game in matches for r in game.rounds)
    assert row["burnt_mean"] == pytest.approx(burnt / sum(rounds))
    decided = [game for game in matches if game.winner is not None]
    opened = [game for game in decided if game.rounds[0].winner is not None]
    assert row["first_round_turned"] == mean(g.winner != g.rounds[0].winner for g in opened)
    behind = [
        len(game.rounds) > 1
        and leader(game.rounds[len(game.rounds) // 2 - 1]) == (1 if game.winner else -1)
        for game in decided
    ]
    assert row["half_time_turned"] == pytest.approx(mean(behind))


def test_the_rounds_query_equals_the_referee(folder: Path, matches: list[Game]) -> None:
    rows = json.loads(render([folder], query="rounds", format="json"))["rows"]
    assert [row["round"] for row in rows] == list(range(1, max(len(g.rounds) for g in matches) + 1))
    for row in rows:
        number = row["round"]
        both = [
            (game.rounds[number - 1], game.rounds[number - 2] if number > 1 else None)
            for game in matches
            if len(game.rounds) >= number
        ]
        here = [this for this, _ in both]
        assert row["matches"] == len(here)
        assert row["burnt0"] == pytest.approx(mean(r.burnt[0] for r in here))
        assert row["burnt1"] == pytest.approx(mean(r.burnt[1] for r in here))
        assert row["any_burnt"] == pytest.approx(mean(sum(r.burnt) > 0 for r in here))
        assert row["plies_mean"] == pytest.approx(mean(r.plies for r in here))
        share = mean(points(r.winner, r.first_player) for r in here)
        assert row["starter_share"] == pytest.approx(share)
        led = [(this, before) for this, before in both if before and leader(before)]
        overtaken = [leader(this) == -leader(before) for this, before in led]
        assert row["overtaken"] == (pytest.approx(mean(overtaken)) if led else None)


def test_the_standard_report_shows_matches_beside_single_games(folder: Path) -> None:
    text = render([folder])
    assert "Matches: rounds, and how they end" in text
    assert "Burnt out" in text
    assert max(map(len, text.splitlines())) <= 80
    whole = json.loads(render([folder], format="json"))
    assert [row["variant"] for row in whole["matches"]] == ["sungka"]
    assert {row["variant"] for row in whole["cells"]} == {"kalah", "sungka"}
    alone = json.loads(render([folder], where="variant = 'kalah'", format="json"))
    assert "matches" not in alone
    assert "Matches" not in render([folder], where="variant = 'kalah'")


def coverage(draw: np.random.Generator, matches: int, trials: int, lean: float) -> float:
    """Draw trials of matches of unequal lengths, whose rounds are alike within a match.

    A match's own rate of rounds won by their beginner scatters around `lean`, so that an
    interval which takes the rounds as independent is far too narrow. Returns how often the
    query's interval holds the true share.
    """
    shape = (trials, matches)
    rounds = draw.integers(2, 30, shape)
    won = draw.binomial(rounds, np.clip(draw.normal(lean, 0.15, shape), 0, 1))
    true = float(np.clip(draw.normal(lean, 0.15, 1_000_000), 0, 1).mean())
    sql = load_query("matches").sql
    spread = sql[sql.index("spread AS (") : sql.index("SELECT\n    cell")]
    drawn = [np.repeat(np.arange(trials), matches), won.ravel(), rounds.ravel()]
    with duckdb.connect() as connection:
        functions.register_figures(connection)
        [[hits]] = connection.execute(
            "WITH drawn AS (SELECT unnest($1::BIGINT[]) AS trial, unnest($2::DOUBLE[]) AS y,"
            " unnest($3::BIGINT[]) AS m), totals AS (SELECT count(*) AS n, sum(m) AS rounds,"
            " sum(y) / sum(m) AS round_share, sum(y * y) AS yy, sum(y * m) AS ym,"
            f" sum(m * m) AS mm FROM drawn GROUP BY trial), {spread} SELECT avg(($4 BETWEEN"
            " mean_low(round_share, round_sd, n) AND mean_high(round_share, round_sd, n))::INTEGER)"
            " FROM spread",
            [*(column.tolist() for column in drawn), true],
        ).fetchall()
    return float(hits)


@pytest.mark.parametrize("matches", [50, 400])
def test_the_interval_by_round_covers_though_rounds_of_a_match_are_alike(matches: int) -> None:
    draw = np.random.default_rng(matches)
    rates = [coverage(draw, matches, 1000, lean) for lean in (0.2, 0.4, 0.5, 0.6, 0.8)]
    assert 0.94 <= mean(rates) <= 0.97
    assert min(rates) > 0.92
