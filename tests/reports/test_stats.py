"""The intervals: known values, edges, and how often they hold the truth."""

import csv
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy
from scipy.stats import t

from reports.stats import mean_interval, share_interval, student

VECTORS = Path(__file__).parents[2] / "data" / "interval_vectors.csv"


def ends(*counts: int) -> tuple[float, float]:
    low, high = share_interval(*([count] for count in counts))
    return low[0], high[0]


def test_without_draws_the_share_interval_is_wilsons() -> None:
    rows = list(csv.DictReader(VECTORS.read_text("utf-8").splitlines()))
    wins = np.array([int(row["k"]) for row in rows])
    games = np.array([int(row["n"]) for row in rows])
    low, high = share_interval(wins, 0 * wins, games - wins)
    assert low == pytest.approx([float(row["wilson_lo"]) for row in rows], abs=1e-8)
    assert high == pytest.approx([float(row["wilson_hi"]) for row in rows], abs=1e-8)


def test_the_share_interval_solves_its_own_equation() -> None:
    """At its ends, the score statistic with the variance under the null is exactly Z squared."""
    won, drawn, lost = 48440.0, 6280.0, 45280.0
    games = won + drawn + lost
    for end in ends(48440, 6280, 45280):
        d = 2 * end - 1
        rates = np.linspace(0.40, 0.48, 2_000_001)  # of losses: the likelihood is searched
        likelihood = won * np.log(rates + d) + lost * np.log(rates)
        q = rates[np.argmax(likelihood + drawn * np.log(1 - 2 * rates - d))]
        score = (won - lost - games * d) ** 2 / (games * (2 * q + d - d * d))
        assert score == pytest.approx(1.959964**2, rel=1e-5)


@pytest.mark.parametrize("counts", [(3, 0, 0), (0, 3, 0), (1, 0, 0), (0, 10**9, 1), (7, 5, 2)])
def test_swapping_the_players_mirrors_the_share_interval(counts: tuple[int, int, int]) -> None:
    low, high = ends(*counts)
    mirrored_low, mirrored_high = ends(*counts[::-1])
    assert (1 - mirrored_high, 1 - mirrored_low) == pytest.approx((low, high), abs=1e-12)
    assert 0 <= low < (counts[0] + counts[1] / 2) / sum(counts) + 1e-12
    assert 0 < high - low <= 1


def test_a_share_interval_keeps_a_width_where_all_games_end_alike() -> None:
    assert ends(100, 0, 0) == pytest.approx((0.9630065, 1), abs=1e-6)
    assert ends(0, 100, 0) == pytest.approx((0.4815033, 0.5184967), abs=1e-6)
    assert ends(0, 0, 100) == pytest.approx((0, 0.0369935), abs=1e-6)


def test_no_game_no_interval() -> None:
    assert np.isnan(ends(0, 0, 0)).all()
    low, high = share_interval([], [], [])
    assert len(low) == len(high) == 0


def test_draws_make_the_share_interval_narrower() -> None:
    widths = [
        high - low for low, high in (ends(500 - d // 2, d, 500 - d // 2) for d in (0, 500, 900))
    ]
    assert widths[0] > 1.3 * widths[1] > 1.3 * widths[2]


def outcomes(games: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return all (wins, draws, losses) of so many games."""
    wins, losses = np.divmod(np.arange((games + 1) ** 2), games + 1)
    possible = wins + losses <= games
    wins, losses = wins[possible], losses[possible]
    return wins, games - wins - losses, losses


def coverages(
    games: int, draw_rates: Iterable[float], shares: Iterable[float]
) -> dict[float, list[float]]:
    """Return for each draw rate the exact coverage at each share that is possible with it.

    The shares at which one player never wins are added: they are the hardest.
    """
    counts = outcomes(games)
    low, high = share_interval(*counts)
    ways = gammaln(games + 1) - sum(gammaln(count + 1) for count in counts)
    found = {}
    for draws in draw_rates:
        edges = [max(0.05, draws / 2), min(0.95, 1 - draws / 2)]
        possible = {round(s, 6) for s in shares if edges[0] <= s <= edges[1]} | set(edges)
        found[draws] = []
        for share in sorted(possible):
            rates = (share - draws / 2, draws, 1 - share - draws / 2)
            logs = sum(xlogy(n, max(rate, 0)) for n, rate in zip(counts, rates, strict=True))
            covered = (low <= share + 1e-9) & (share - 1e-9 <= high)
            found[draws].append(float(np.exp(ways + logs)[covered].sum()))
    return found


def check_coverage(games: int, draw_rates: Iterable[float], shares: Iterable[float]) -> None:
    for draws, found in coverages(games, draw_rates, shares).items():
        assert 0.94 <= np.mean(found) <= 0.965, (games, draws, np.mean(found))
        assert min(found) > 0.92, (games, draws, min(found))


TENTHS = [tenth / 10 for tenth in range(10)]


def test_share_intervals_of_100_games_hold_the_share_95_times_in_100() -> None:
    check_coverage(100, TENTHS, np.arange(0.05, 0.951, 0.05))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("games", "step", "every"),
    [(100, 0.005, 0.02), (110, 0.01, 0.05), (150, 0.01, 0.05), (200, 0.01, 0.1), (1000, 0.05, 0.1)],
)
def test_share_intervals_hold_the_share_95_times_in_100(
    games: int, step: float, every: float
) -> None:
    check_coverage(games, np.arange(0, 0.901, every), np.arange(0.05, 0.951, step))


@pytest.mark.parametrize("freedom", [1, 2, 5, 12, 13, 14, 20, 99, 10**6])
def test_student_quantiles(freedom: int) -> None:
    assert student(freedom) == pytest.approx(t.ppf(0.975, freedom), abs=3e-6)


def test_mean_interval_of_a_sample() -> None:
    sample = [3, -2, 8, 0, 5]
    low, high = mean_interval([np.mean(sample)], [np.std(sample, ddof=1)], [len(sample)])
    expected = t.interval(0.95, 4, np.mean(sample), np.std(sample, ddof=1) / np.sqrt(5))
    assert (low[0], high[0]) == pytest.approx(expected, abs=1e-5)


def test_no_mean_interval_below_two_games_or_without_variance() -> None:
    low, high = mean_interval([1, 1, 1, np.nan], [np.nan, 0, 0, np.nan], [1, 2, 1000, 0])
    assert np.isnan(low).all()
    assert np.isnan(high).all()


@pytest.mark.parametrize("games", [20, 200])
def test_mean_intervals_hold_the_mean_95_times_in_100(games: int) -> None:
    """Margins are even numbers, skewed towards the player who is ahead."""
    random = np.random.default_rng(7)
    margins = 2 * random.binomial(48, 0.6, size=(20_000, games)) - 48
    low, high = mean_interval(
        margins.mean(axis=1), margins.std(axis=1, ddof=1), np.full(len(margins), games)
    )
    truth = 2 * 48 * 0.6 - 48
    assert np.mean((low <= truth) & (truth <= high)) == pytest.approx(0.95, abs=0.006)
