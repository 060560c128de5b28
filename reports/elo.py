"""Strength as Elo: what a share of the points says of how much stronger a player is."""

import math

import numpy as np
from numpy.typing import ArrayLike

from reports.stats import Floats

PER_LOGIT = 400 / math.log(10)
"""Elo points in a logit: ten times the odds are 400 points (Elo, The Rating of Chessplayers,
1978)."""


def elo_of(share: ArrayLike) -> Floats:
    """Return the difference in Elo points that a share of the points between 0 and 1 stands for.

    That is 400 log10(share / (1 - share)): shape (n,) in and out, infinite for 0 and for 1.

    >>> elo_of([0.5, 0.64, 1.0]).round(2).tolist()
    [0.0, 99.95, inf]
    """
    part = np.asarray(share, np.float64)
    with np.errstate(divide="ignore"):
        return PER_LOGIT * (np.log(part) - np.log1p(-part))


def normalized_elo(mean: ArrayLike, deviation: ArrayLike, *, games: int = 1) -> Floats:
    """Return a player's mean lead over the deviation of its result, on the scale of Elo points.

    `mean` and `deviation` (divided by n) are those of the points of an independent unit of
    `games` games, counted from 0 to 1: a game, or a pair of games with one opening. Unlike
    Elo it does not depend on the rate of draws, and says how many games a test needs: it is 800 /
    ln 10 times the lead in standard deviations of one game (Van den Bergh, Normalized Elo, 2021).
    Shape (n,) in and out; `nan` where nothing varies.

    >>> points = np.repeat([1, 0.5, 0], [136, 111, 96])
    >>> normalized_elo([points.mean()], [points.std()]).round(2).tolist()
    [49.77]
    """
    lead, spread = np.asarray(mean, np.float64) - 0.5, np.asarray(deviation, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > 0, 2 * PER_LOGIT * lead / (spread * math.sqrt(games)), np.nan)


def superiority(mean: ArrayLike, deviation: ArrayLike, units: ArrayLike) -> Floats:
    """Return how likely a player is the stronger one, its true share being over ½.

    That is the normal probability of its lead in standard errors, as if any share had been as
    likely before: 1 minus the p-value of the one-sided test. `deviation` (divided by n) is that of
    a unit's points, of which there are `units`. Shape (n,) in and out; `nan` where nothing varies.

    >>> points = np.repeat([1, 0.5, 0], [76, 123, 89])
    >>> superiority([points.mean()], [points.std()], [288]).round(4).tolist()
    [0.1553]
    """
    lead, spread = np.asarray(mean, np.float64) - 0.5, np.asarray(deviation, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.where(
            spread > 0, lead * np.sqrt(np.asarray(units, np.float64)) / spread, np.nan
        )
    return normal(errors)


def normal(values: ArrayLike) -> Floats:
    """Return the normal distribution's probability up to each value.

    >>> normal([-1.959964, 0.0]).round(4).tolist()
    [0.025, 0.5]
    """
    given = np.asarray(values, np.float64)
    parts = [math.erfc(-value / math.sqrt(2)) / 2 for value in given.ravel().tolist()]
    return np.array(parts).reshape(given.shape)
