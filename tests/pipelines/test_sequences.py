"""Confidence sequences: known values, edges, and that they hold when one stops at will."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from pipelines.sequences import mean_sequence, share_sequence
from pipelines.stopping import LOOKS
from reports.stats import Floats, mean_interval, share_interval

VECTORS = Path(__file__).parents[2] / "data" / "interval_vectors.csv"
RUNS, LONG_RUNS = 400, 20_000
SPAN = 96.0  # seeds between the margins that there can be
Interval = Callable[..., tuple[Floats, Floats]]


def test_without_draws_the_share_sequence_is_the_known_one() -> None:
    rows = list(csv.DictReader(VECTORS.read_text("utf-8").splitlines()))
    wins = np.array([int(row["k"]) for row in rows])
    games = np.array([int(row["n"]) for row in rows])
    low, high = share_sequence(wins, 0 * wins, games - wins)
    assert low == pytest.approx([float(row["cs_betabinomial_lo"]) for row in rows], abs=1e-7)
    assert high == pytest.approx([float(row["cs_betabinomial_hi"]) for row in rows], abs=1e-7)


@pytest.mark.parametrize("counts", [(3, 0, 0), (0, 3, 0), (0, 0, 1), (0, 10**9, 1), (7, 5, 2)])
def test_swapping_the_players_mirrors_the_share_sequence(counts: tuple[int, int, int]) -> None:
    low, high = share_sequence(*([count] for count in counts))
    mirrored_low, mirrored_high = share_sequence(*([count] for count in counts[::-1]))
    assert (1 - mirrored_high[0], 1 - mirrored_low[0]) == pytest.approx((low[0], high[0]), abs=1e-9)
    assert 0 <= low[0] <= (counts[0] + counts[1] / 2) / sum(counts) <= high[0] <= 1


def test_a_draw_is_half_a_win_and_half_a_loss() -> None:
    assert share_sequence([30], [20], [50]) == share_sequence([40], [0], [60])


def test_without_games_nothing_is_known() -> None:
    assert share_sequence([0], [0], [0]) == ([0], [1])
    assert mean_sequence([np.nan], [np.nan], [0], [96]) == ([-48], [48])


def test_a_sequence_is_wider_than_an_interval_of_as_many_games() -> None:
    for games in (100, 10_000, 1_000_000):
        counts = [[games // 2], [games // 10], [games // 2 - games // 10]]
        outer, inner = share_sequence(*counts), share_interval(*counts)
        assert outer[0] < inner[0] < inner[1] < outer[1]
        given = [0.5], [14.0], [games]
        outer, inner = mean_sequence(*given, [96]), mean_interval(*given)
        assert outer[0] < inner[0] < inner[1] < outer[1]


def test_a_mean_sequence_never_leaves_the_span_and_narrows_to_the_mean() -> None:
    games = np.array([1, 2, 10, 100, 10**4, 10**6, 10**9])
    low, high = mean_sequence(np.full(7, 40.0), np.full(7, 8.0), games, np.full(7, 96.0))
    assert ((low >= -48) & (high <= 48)).all()
    assert (np.diff(high - low) <= 0).all()
    assert (low[-1], high[-1]) == pytest.approx((40, 40), abs=0.01)


def test_a_margin_that_never_varies_is_known_better_with_every_game() -> None:
    low, high = mean_sequence([6.0, 6.0], [0.0, 0.0], [100, 100_000], [96, 96])
    assert low[0] < low[1] < 6 < high[1] < high[0]


def missed(
    values: NDArray[np.float64], truth: float, goal: float, interval: Interval
) -> NDArray[np.bool_]:
    """Say of runs of margins (runs, games) whether the interval at which they stopped is wrong.

    Each is looked at as cells are, up to the first look at which the interval reaches no more than
    `goal` seeds to each side, or to the last one that there are games for.
    """
    looks = [look for look in LOOKS if look <= values.shape[1]]
    sums, squares = np.cumsum(values, axis=1), np.cumsum(values**2, axis=1)
    stopped, wrong = np.zeros((2, len(values)), np.bool_)
    for look in looks:
        mean = sums[:, look - 1] / look
        deviation = np.sqrt((squares[:, look - 1] - look * mean**2) / (look - 1))
        span = (np.full(len(values), SPAN),) if interval is mean_sequence else ()
        low, high = interval(mean, deviation, np.full(len(values), look), *span)
        narrow = np.maximum(mean - low, high - mean) <= goal
        now = ~stopped & (narrow | (look == looks[-1]))
        wrong |= now & ((truth < low) | (truth > high))
        stopped |= now
    return wrong


def ever_missed(values: NDArray[np.float64], truth: float, interval: Interval) -> float:
    """Return the part of runs that are stopped at the first look whose interval is wrong, if any.

    That is what comes of looking on until the result is as wished.
    """
    wrong = np.zeros(len(values), np.bool_)
    wins, draws = np.cumsum(values == 1, axis=1), np.cumsum(values == 0.5, axis=1)
    for look in (look for look in LOOKS if look <= values.shape[1]):
        won, drawn = wins[:, look - 1], draws[:, look - 1]
        low, high = interval(won, drawn, look - won - drawn)
        wrong |= (truth < low) | (truth > high)
    return float(wrong.mean())


def points(rng: np.random.Generator, share: float, drawn: float, runs: int) -> Floats:
    """Return the points of runs of 10,000 games."""
    rates = [share - drawn / 2, drawn, 1 - share - drawn / 2]
    return rng.choice([1.0, 0.5, 0.0], size=(runs, 10_000), p=rates)


@pytest.mark.parametrize(("share", "drawn"), [(0.5, 0.0), (0.62, 0.04), (0.1, 0.0), (0.5, 0.6)])
def test_looked_at_again_and_again_the_share_sequence_holds(share: float, drawn: float) -> None:
    values = points(np.random.default_rng(1), share, drawn, RUNS)
    assert ever_missed(values, share, share_sequence) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize(("share", "drawn"), [(0.5, 0.0), (0.62, 0.04), (0.1, 0.0), (0.5, 0.6)])
def test_where_an_ordinary_interval_falls_short(share: float, drawn: float) -> None:
    """The same runs, the same looks: one run in three meets an ordinary interval that is wrong."""
    rng = np.random.default_rng(2)
    parts = [points(rng, share, drawn, RUNS) for _ in range(LONG_RUNS // RUNS)]
    sequence, ordinary = (
        np.mean([ever_missed(part, share, interval) for part in parts])
        for interval in (share_sequence, share_interval)
    )
    assert sequence <= 0.05
    assert ordinary > 0.25


def test_stopped_when_it_looks_good_an_ordinary_interval_is_wrong_too_often() -> None:
    values = points(np.random.default_rng(3), 0.5, 0.06, RUNS)
    assert ever_missed(values, 0.5, share_interval) > 0.25


def exact_coverage(share: float, goal: float, interval: Interval) -> float:
    """Return how often the interval at which games without draws stop holds, by enumeration.

    They are looked at as cells are, until it reaches no more than `goal` to each side.
    """
    chance, before, held = np.ones(1), 0, 0.0  # of so many wins in the runs that go on
    for look in LOOKS:
        more = look - before
        chance = np.convolve(chance, binom.pmf(np.arange(more + 1), more, share))
        before, wins = look, np.arange(look + 1)
        low, high = interval(wins, 0 * wins, look - wins)
        stops = np.maximum(wins / look - low, high - wins / look) <= goal
        held += chance[stops & (low <= share) & (share <= high)].sum()
        chance = np.where(stops, 0, chance)
        if chance.sum() < 1e-12:
            return held
    raise AssertionError("it never stops")


@pytest.mark.parametrize(("share", "goal"), [(0.005, 0.03), (0.295, 0.05), (0.21, 0.02)])
def test_stopped_at_a_width_an_ordinary_interval_is_short_and_the_sequence_is_not(
    share: float, goal: float
) -> None:
    """Not by much: a width tells little of the share."""
    assert exact_coverage(share, goal, share_interval) < 0.945
    assert exact_coverage(share, goal, share_sequence) >= 0.95


def margins(rng: np.random.Generator, runs: int) -> tuple[Floats, float]:
    """Return margins of runs of 4,000 games, skewed: mostly few seeds, at times nearly all."""
    values = rng.choice([-2.0, 0.0, 2.0, 44.0], size=(runs, 4_000), p=[0.3, 0.2, 0.45, 0.05])
    return values, -0.6 + 0.9 + 2.2


def test_stopped_at_a_width_the_mean_sequence_holds() -> None:
    values, truth = margins(np.random.default_rng(5), RUNS)
    for goal in (1.0, 2.0, 4.0):
        assert missed(values, truth, goal, mean_sequence).mean() <= 0.05


def test_stopped_at_a_width_an_ordinary_interval_of_a_skewed_margin_falls_short() -> None:
    values, truth = margins(np.random.default_rng(6), RUNS)
    assert missed(values, truth, 1.5, mean_interval).mean() > 0.07
