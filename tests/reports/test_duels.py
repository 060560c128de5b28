"""The query `duels`: two players in both seats, the pair of games as the unit."""

import json
from math import isclose, sqrt
from pathlib import Path
from statistics import mean, stdev

import pytest
from command import mancalab

from pipelines import connect
from reports.stats import student

PLAYERS = ("random", "greedy", "minimax:2")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from pipelines.cli import main

    folder = tmp_path_factory.mktemp("duels") / "set"
    agents = [word for player in PLAYERS for word in ("--agent", player)]
    options = ["--opening-plies", "3", "--games", "60", "--out", str(folder)]
    with pytest.raises(SystemExit) as left:
        main(["run", "kalah", "--pits", "4,6", *agents, "--pairing", "mirror", *options])
    assert left.value.code == 0
    return folder


def duels(capsys: pytest.CaptureFixture[str], folder: Path) -> list[dict]:
    code, out, _ = mancalab(capsys, "report", str(folder), "--query", "duels", "--format", "json")
    assert code == 0
    rows: list[dict] = json.loads(out)["rows"]
    return rows


def test_figures_are_those_of_the_games(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each worked out again in plain Python from the rows."""
    with connect(str(dataset)) as connection:
        games = connection.execute(
            "SELECT pits, agent0, agent1, pair, points0, margin FROM games JOIN cells USING (cell)"
        ).fetchall()
    points = {(pits, a, b, pair): point for pits, a, b, pair, point, _ in games}
    margins = {(pits, a, b, pair): margin for pits, a, b, pair, _, margin in games}
    rows = duels(capsys, dataset)
    assert len(rows) == 6
    for row in rows:
        one = row["pits"], row["agent0"], row["agent1"]
        two = row["pits"], row["agent1"], row["agent0"]
        firsts = [points[*one, pair] for pair in range(60)]
        seconds = [1 - points[*two, pair] for pair in range(60)]
        shares = [(a + b) / 2 for a, b in zip(firsts, seconds, strict=True)]
        assert row["pairs"] == 60
        assert isclose(row["share"], mean(shares))
        assert row["share"] >= 0.5
        assert isclose(row["as_first"], mean(firsts))
        assert isclose(row["as_second"], mean(seconds))
        assert isclose(
            row["margin_mean"],
            mean((margins[*one, pair] - margins[*two, pair]) / 2 for pair in range(60)),
            abs_tol=1e-9,
        )
        if len(set(shares)) > 1:
            half = student(59) * stdev(shares) / sqrt(60)
            assert isclose(row["share_low"], max(0, mean(shares) - half))
            assert isclose(row["share_high"], min(1, mean(shares) + half))


def test_pairs_that_all_went_alike_leave_doubt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sixty wins in a row do not prove that there is no other outcome."""
    folder = str(tmp_path / "set")
    options = ["--pairing", "mirror", "--opening-plies", "3", "--games", "20", "--out", folder]
    mancalab(capsys, "run", "kalah", "--agent", "random", "--agent", "minimax:7", *options)
    [row] = duels(capsys, Path(folder))
    assert row["share"] == 1
    assert 0.8 < row["share_low"] < row["share_high"] == 1


def test_rules_are_compared_with_themselves_alone(
    dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = duels(capsys, dataset)
    assert {(row["pits"], frozenset((row["agent0"], row["agent1"]))) for row in rows} == {
        (pits, frozenset(pair))
        for pits in (4, 6)
        for pair in (PLAYERS[:2], PLAYERS[1:], PLAYERS[::2])
    }
