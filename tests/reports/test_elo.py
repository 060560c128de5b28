"""Elo, normalized Elo and likelihood of superiority: values of a program that chess engines use."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from reports.elo import elo_of, normal, normalized_elo, superiority
from reports.stats import Z

VECTORS = Path(__file__).parents[2] / "data" / "stats_vectors.csv"
ROWS = list(csv.DictReader(VECTORS.read_text("utf-8").splitlines()))
POINTS = {"W": 1.0, "D": 0.5, "L": 0.0,
          "LL": 0.0, "LD": 0.25, "WL": 0.5, "DD": 0.5, "WD": 0.75, "WW": 1.0}  # fmt: skip


def points_of(text: str) -> NDArray[np.float64]:
    """Return the points of games, or the mean ones of pairs of games, that a row counts."""
    counts = {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", text)}
    return np.repeat([POINTS[name] for name in counts], list(counts.values()))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['input']} {row['metric']}")
def test_published_values(row: dict[str, str]) -> None:
    points, games = points_of(row["input"]), 2 if row["kind"] == "PENTA" else 1
    mean, spread, n = points.mean(), points.std(), len(points)
    half = Z * spread / np.sqrt(n)
    low, high = elo_of([mean - half, mean + half])
    found = {
        "score": mean,
        "elo": elo_of([mean])[0],
        "elo_err": (high - low) / 2,
        "nelo": normalized_elo([mean], [spread], games=games)[0],
        "nelo_err": normalized_elo([0.5 + half], [spread], games=games)[0],
        "los": superiority([mean], [spread], [n])[0],
    }[row["metric"]]
    assert found == pytest.approx(float(row["computed_here"]), abs=6e-5)


def test_all_of_it_is_compared() -> None:
    assert {row["kind"] for row in ROWS} == {"WDL", "PENTA"}
    assert len(ROWS) == 31


def test_elo_is_odd_and_undone_by_the_logistic() -> None:
    shares = np.linspace(0.001, 0.999, 999)
    assert elo_of(shares) == pytest.approx(-elo_of(1 - shares))
    assert 1 / (1 + 10 ** (-elo_of(shares) / 400)) == pytest.approx(shares)
    assert elo_of([0.0, 1.0]).tolist() == [-np.inf, np.inf]


def test_where_nothing_varies_there_is_no_likelihood() -> None:
    assert np.isnan(normalized_elo([0.5, 1.0], [0.0, 0.0])).all()
    assert np.isnan(superiority([0.5], [0.0], [10])).all()


def test_the_normal_distribution() -> None:
    from scipy.stats import norm

    values = np.linspace(-9, 9, 181)
    assert normal(values) == pytest.approx(norm.cdf(values), rel=1e-12)
