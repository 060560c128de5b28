"""Ratings: known strengths are found, with errors that hold, and what cannot be known is said."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from reports.elo import PER_LOGIT, elo_of
from reports.ratings import Meeting, Ratings, interval, rate

STRENGTHS = np.array([-1.2, -0.3, 0.1, 1.4])
ADVANTAGE, DRAW = 0.25, -0.4


def chances(u: float) -> NDArray[np.float64]:
    weights = np.exp([u / 2, DRAW, -u / 2])
    return np.asarray(weights / weights.sum())


def season(rng: np.random.Generator, games: int) -> list[Meeting]:
    return [
        Meeting(i, j, *rng.multinomial(games, chances(STRENGTHS[i] - STRENGTHS[j] + ADVANTAGE)))
        for i, j in itertools.permutations(range(4), 2)
    ]


def test_the_fit_is_the_maximum_that_another_optimizer_finds() -> None:
    meetings = season(np.random.default_rng(1), 300)

    def loss(x: NDArray[np.float64]) -> float:
        ratings = np.append(x[:3], -x[:3].sum())
        total = 0.0
        for m in meetings:
            u = ratings[m.first] - ratings[m.second] + x[3]
            logs = np.array([u / 2, x[4], -u / 2])
            total -= np.array([m.wins, m.draws, m.losses]) @ (logs - np.log(np.exp(logs).sum()))
        return float(total)

    best = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-6}).x
    found = rate(4, meetings)
    assert found.elo[:3] == pytest.approx(PER_LOGIT * best[:3], abs=0.05)
    assert found.advantage == pytest.approx(PER_LOGIT * best[3], abs=0.05)
    assert found.draws == pytest.approx(np.exp(best[4]) / (2 + np.exp(best[4])), abs=1e-4)
    assert found.elo.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("runs", [200, pytest.param(4_000, marks=pytest.mark.slow)])
def test_the_intervals_hold_the_truth(runs: int) -> None:
    rng = np.random.default_rng(2)
    truth = PER_LOGIT * np.append(STRENGTHS - STRENGTHS.mean(), ADVANTAGE)
    held = np.zeros(5)
    for _ in range(runs):
        found = rate(4, season(rng, 60))
        low, high = interval(
            np.append(found.elo, found.advantage),
            np.append(found.elo_error, found.advantage_error),
        )
        held += (low <= truth) & (truth <= high)
    assert 0.94 <= held.mean() / runs <= 0.97


def test_two_players_without_advantage_are_as_far_apart_as_their_share_says() -> None:
    """Without draws that is Elo's formula."""
    found = rate(2, [Meeting(0, 1, 64, 0, 36), Meeting(1, 0, 36, 0, 64)])
    assert found.elo[0] - found.elo[1] == pytest.approx(elo_of([0.64])[0], abs=0.1)
    assert found.advantage == pytest.approx(0, abs=1e-6)


def test_the_first_move_is_told_from_strength() -> None:
    found = rate(2, [Meeting(0, 1, 70, 0, 30), Meeting(1, 0, 70, 0, 30)])
    assert found.elo == pytest.approx([0, 0], abs=1e-6)
    assert found.advantage == pytest.approx(elo_of([0.7])[0], abs=0.1)


def test_games_against_oneself_tell_of_the_first_move_alone() -> None:
    found = rate(1, [Meeting(0, 0, 600, 100, 300)])
    assert found.elo.tolist() == [0]
    assert found.advantage == pytest.approx(PER_LOGIT * np.log(2), abs=0.5)


def test_a_player_that_won_all_is_far_off_and_not_sure() -> None:
    found = rate(3, [Meeting(0, 1, 50, 0, 0), Meeting(1, 0, 0, 0, 50),
                     Meeting(1, 2, 30, 5, 15), Meeting(2, 1, 20, 5, 25)])  # fmt: skip
    assert found.sure.tolist() == [False, True, True]
    assert np.isfinite(found.elo).all()
    assert found.elo[0] > found.elo[1] + 800
    pair = rate(2, [Meeting(0, 1, 30, 5, 15), Meeting(1, 0, 20, 5, 25)])
    assert found.elo[1] - found.elo[2] == pytest.approx(pair.elo[0] - pair.elo[1], abs=1)


def test_players_that_never_met_have_groups_of_their_own() -> None:
    found = rate(5, [Meeting(0, 3, 6, 1, 3), Meeting(1, 2, 5, 0, 5)])
    assert found.group.tolist() == [0, 1, 1, 0, 4]
    assert found.elo[[0, 3]].sum() == pytest.approx(0, abs=1e-9)
    assert found.elo[4] == 0


@pytest.mark.parametrize("meetings", [[], [Meeting(0, 1, 0, 0, 0)]])
def test_without_games_nothing_is_known(meetings: list[Meeting]) -> None:
    found = rate(2, meetings)
    assert found.elo.tolist() == [0, 0]
    assert not found.sure.any()
    assert np.isnan([found.advantage, found.advantage_error, found.draws]).all()


@pytest.mark.parametrize("counts", [(0, 40, 0), (1, 0, 0), (10**9, 10**9, 10**9)])
def test_any_results_can_be_fitted(counts: tuple[int, int, int]) -> None:
    found = rate(2, [Meeting(0, 1, *counts)])
    assert np.isfinite([*found.elo, *found.elo_error, found.advantage, found.draws]).all()


def test_what_the_model_does_not_explain_shows() -> None:
    """Each beats the next in a circle, which no ratings can say."""
    circle = [Meeting(i, (i + 1) % 3, 80, 0, 20) for i in range(3)]
    back = [Meeting((i + 1) % 3, i, 20, 0, 80) for i in range(3)]
    found: Ratings = rate(3, [*circle, *back])
    assert found.excess > 100
    fair = rate(4, season(np.random.default_rng(3), 500))
    assert fair.excess < 3 * fair.freedom
