"""Confidence sequences: intervals that hold at every number of games at once.

An interval of a fixed number of games is no longer one of 95 % when it decided itself how many
games were played. These are: with a probability of 95 % none of all the intervals that one might
look at, game after game, leaves out the true value.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]

ALPHA = 0.05

_HALVINGS = 60  # until an end of an interval is known to a double's last digits
_ETA, _S = 2.0, 1.4  # of the stitched boundary: how fast its epochs grow, and their errors fall
_ZETA = 3.105547277977581  # the zeta function at 1.4
_K1 = (_ETA**0.25 + _ETA**-0.25) / math.sqrt(2)
_K2 = (math.sqrt(_ETA) + 1) / 2


def share_sequence(wins: ArrayLike, draws: ArrayLike, losses: ArrayLike) -> tuple[Floats, Floats]:
    """Return the 95 % confidence sequence of a player's share of the points: win 1, draw ½, loss 0.

    Counts of independent games so far, shape (n,) each; two arrays of that shape come back, 0
    and 1 where there is no game.

    It holds every share under which the likelihood ratio against a Beta(½, ½) mixture stays below
    20 (Robbins, Annals of Mathematical Statistics 41 (1970), 1397-1409). A draw counts as half a
    win and half a loss, which makes the ratio no larger than that of a bet on the points
    themselves, so that it holds for points too, and is wider than need be where draws are many
    (a variable between 0 and 1 is sub-Bernoulli: Howard, Ramdas, McAuliffe and Sekhon, Annals of
    Statistics 49 (2021), 1055-1080).

    >>> low, high = share_sequence([520], [0], [480])
    >>> f"{low[0]:.8f} {high[0]:.8f}"
    '0.46228703 0.57735836'
    """
    won, drawn, lost = (np.asarray(x, np.float64) for x in (wins, draws, losses))
    k, rest = won + drawn / 2, lost + drawn / 2
    games = k + rest
    # log of the mixture's likelihood, from which that of a share may fall short by log 20
    mixture = _log_beta(k + 0.5, rest + 0.5) - math.log(math.pi)
    centre = k / np.maximum(games, 1)
    ends = []
    for bound in (0.0, 1.0):
        inside, outside = np.where(games > 0, centre, 0.5), np.full_like(centre, bound)
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            likelihood = _times_log(k, middle) + _times_log(rest, 1 - middle)
            holds = mixture - likelihood < -math.log(ALPHA)
            inside, outside = np.where(holds, middle, inside), np.where(holds, outside, middle)
        ends.append(np.where(games > 0, inside, bound))
    return ends[0], ends[1]


def mean_sequence(
    mean: ArrayLike, deviation: ArrayLike, games: ArrayLike, span: ArrayLike
) -> tuple[Floats, Floats]:
    """Return the 95 % confidence sequence of the mean of values between bounds `span` apart.

    `mean` and `deviation` are the sample's (divided by n - 1); shape (n,) each, two arrays of
    that shape come back: the bounds, even around 0, where there is no game.

    The empirical-Bernstein sequence with a stitched boundary of Howard, Ramdas, McAuliffe and
    Sekhon, Annals of Statistics 49 (2021), 1055-1080 (theorems 1 and 4; eta 2, s 1.4, values
    scaled to a span of 1). Its variance is the sum of squared errors when each value is predicted
    by the mean of those before, which exceeds that around the final mean by the sum of each
    squared error over its number: by no more than a harmonic number of squared spans. So bounded,
    the interval depends on the sample's mean and deviation alone.

    >>> low, high = mean_sequence([0.47], [14.5], [100_000], [96])
    >>> f"{low[0]:.3f} {high[0]:.3f}"
    '0.270 0.670'
    """
    centre, spread, n, width = (np.asarray(x, np.float64) for x in (mean, deviation, games, span))
    some = np.maximum(n, 1)
    squares = np.where(n > 1, spread, 0) ** 2 * np.maximum(n - 1, 0) / width**2
    variance = np.maximum(squares + _harmonic(some) - 0.75, 1)  # the first is half a span off
    level = _S * np.log(np.log2(variance) + 1) + math.log(_ZETA) + math.log(2 / ALPHA)
    bend = _K2 * level
    off = (np.sqrt(_K1**2 * variance * level + bend**2) + bend) * width / some
    low = np.where(n > 0, np.maximum(centre - off, -width / 2), -width / 2)
    high = np.where(n > 0, np.minimum(centre + off, width / 2), width / 2)
    return low, high


def _log_beta(a: Floats, b: Floats) -> Floats:
    return _log_gamma(a) + _log_gamma(b) - _log_gamma(a + b)


def _log_gamma(values: Floats) -> Floats:
    return np.array([math.lgamma(value) for value in values.ravel()]).reshape(values.shape)


def _times_log(times: Floats, of: Floats) -> Floats:
    """Return times · log(of), 0 where the first is 0 and minus infinity where the second is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(times > 0, times * np.log(of), 0.0)


def _harmonic(n: Floats) -> Floats:
    """Return an upper bound of 1 + 1/2 + … + 1/n (Euler and Maclaurin), within 1/(120 n⁴)."""
    return np.asarray(np.log(n) + np.euler_gamma + 1 / (2 * n))
