"""Ratings of players that met: how strong each is, and what the first move is worth."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reports.elo import PER_LOGIT
from reports.stats import Floats, Z

_STEPS, _DONE = 100, 1e-10
_PRIOR = 1 / 25**2
"""What keeps the rating finite of a player that won or lost all games: logits are taken to be
normal around 0 with a deviation of 25, some 4,300 Elo points, which hardly moves another rating."""


class Meeting(NamedTuple):
    """Games between two players, by their places, as the first one won, drew and lost them."""

    first: int
    second: int
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many games it is."""
        return self.wins + self.draws + self.losses


class Ratings(NamedTuple):
    """A fit, in Elo points: `elo` of each player, around a mean of 0, and its standard errors.

    `advantage` is what the first move is worth, `draws` how likely a draw is between equals
    without it. `group` says which players met, directly or by way of others: only the ratings of
    one group compare. `sure` is false of players that won or lost all their games, of which it is
    only known that they are far off. `excess` is the deviance beyond the model, as a chi-squared
    of `freedom` degrees.
    """

    elo: Floats
    elo_error: Floats
    advantage: float
    advantage_error: float
    draws: float
    group: NDArray[np.int64]
    sure: NDArray[np.bool_]
    excess: float
    freedom: int


def rate(players: int, meetings: Sequence[Meeting]) -> Ratings:
    """Fit ratings of `players` to games by maximum likelihood.

    With u the difference of two players' ratings in logits, and the first move's worth added, a
    win, a draw and a loss are as likely as exp(u/2), v and exp(-u/2) are to each other: Bradley
    and Terry's model (Biometrika 39 (1952), 324-345) with draws as by Davidson (Journal of the
    American Statistical Association 65 (1970), 317-328) and an order effect as by Davidson and
    Beaver (Biometrics 33 (1977), 693-702). So a difference is that of the games that are won.
    Errors are from the information at the maximum, and take games as independent.

    >>> found = rate(2, [Meeting(0, 1, 60, 10, 30), Meeting(1, 0, 45, 10, 45)])
    >>> [round(x) for x in (found.elo[0], found.elo[1], found.advantage)]
    [30, -30, 60]
    """
    rows = [m for m in meetings if m.games and m.first != m.second]
    selves = [m for m in meetings if m.games and m.first == m.second]
    group = _groups(players, rows)
    design, counts = _table(players, [*rows, *selves])
    beta, information = _maximum(design, counts, players)
    inverse = np.linalg.inv(information)
    centred = _centring(group, players)
    logits = centred @ beta[:players]
    errors = np.sqrt(np.diag(centred @ inverse[:players, :players] @ centred.T))
    excess, freedom = _misfit(design, counts, beta, group)
    known = bool(len(counts))
    return Ratings(
        elo=PER_LOGIT * logits,
        elo_error=PER_LOGIT * errors,
        advantage=float(PER_LOGIT * beta[players]) if known else np.nan,
        advantage_error=float(PER_LOGIT * np.sqrt(inverse[players, players])) if known else np.nan,
        draws=float(np.exp(beta[-1]) / (2 + np.exp(beta[-1]))) if known else np.nan,
        group=group,
        sure=_sure(players, rows),
        excess=excess,
        freedom=freedom,
    )


def interval(centre: Floats, error: Floats) -> tuple[Floats, Floats]:
    """Return the 95 % interval of figures with normal errors, shape (n,) each."""
    return centre - Z * error, centre + Z * error


def _table(players: int, meetings: Sequence[Meeting]) -> tuple[Floats, Floats]:
    """Return the design (m, players + 1), of which u is the product, and the results (m, 3)."""
    design = np.zeros((len(meetings), players + 1))
    for row, meeting in zip(design, meetings, strict=True):
        row[meeting.first] += 1
        row[meeting.second] -= 1
        row[players] = 1
    results = [(m.wins, m.draws, m.losses) for m in meetings]
    return design, np.array(results, np.float64).reshape(-1, 3)


def _probabilities(design: Floats, beta: Floats) -> Floats:
    """Return how likely a win, a draw and a loss are in each meeting, (m, 3)."""
    u = design @ beta[:-1]
    logs = np.stack([u / 2, np.full_like(u, beta[-1]), -u / 2], axis=1)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _maximum(design: Floats, counts: Floats, players: int) -> tuple[Floats, Floats]:
    """Return the parameters (ratings, advantage, log v) and the information, by Newton's method.

    The likelihood is that of a multinomial logit, which is concave; the prior makes it strictly so.
    """
    scores = np.stack([design / 2, 0 * design, -design / 2], axis=1)  # of each result, by beta
    draw = np.broadcast_to([[0.0], [1.0], [0.0]], (len(design), 3, 1))
    slopes = np.concatenate([scores, draw], axis=2)  # (m, 3, parameters)
    games = counts.sum(axis=1)
    beta = np.zeros(players + 2)
    information = _PRIOR * np.eye(players + 2)
    value = -np.inf
    step = np.zeros_like(beta)
    for _ in range(_STEPS):
        chances = _probabilities(design, beta + step)
        seen = counts > 0
        now = float(np.sum(counts[seen] * np.log(chances[seen])))
        now -= _PRIOR / 2 * float((beta + step) @ (beta + step))
        if now < value:  # too far
            step = step / 2
            continue
        gained, value, beta = now - value, now, beta + step
        mean = np.einsum("mr,mrp->mp", chances, slopes)
        gradient = np.einsum("mr,mrp->p", counts, slopes) - games @ mean - _PRIOR * beta
        second = np.einsum("m,mr,mrp,mrq->pq", games, chances, slopes, slopes)
        second -= np.einsum("m,mp,mq->pq", games, mean, mean)
        information = second + _PRIOR * np.eye(len(beta))
        step = np.linalg.solve(information, gradient)
        if gained < _DONE and np.abs(step).max() < 1e-8:
            break
    return beta, information


def _groups(players: int, meetings: Sequence[Meeting]) -> NDArray[np.int64]:
    """Return the group of each player, named by its first one."""
    group = np.arange(players)
    for meeting in meetings:
        one, other = sorted((group[meeting.first], group[meeting.second]))
        group[group == other] = one
    return group


def _centring(group: NDArray[np.int64], players: int) -> Floats:
    """Return the matrix that takes from each rating its group's mean."""
    same = (group[:, None] == group[None, :]).astype(np.float64)
    return np.asarray(np.eye(players) - same / same.sum(axis=1, keepdims=True))


def _sure(players: int, meetings: Sequence[Meeting]) -> NDArray[np.bool_]:
    points, most = np.zeros(players), np.zeros(players)
    for m in meetings:
        points[[m.first, m.second]] += (m.wins + m.draws / 2, m.losses + m.draws / 2)
        most[[m.first, m.second]] += m.games
    return np.asarray((points > 0) & (points < most))


def _misfit(
    design: Floats, counts: Floats, beta: Floats, group: NDArray[np.int64]
) -> tuple[float, int]:
    """Return the deviance of the results from the fit, and its degrees of freedom."""
    expected = _probabilities(design, beta) * counts.sum(axis=1, keepdims=True)
    seen = counts > 0
    deviance = 2 * float(np.sum(counts[seen] * np.log(counts[seen] / expected[seen])))
    rated = len(group) - len(set(group.tolist()))
    return deviance, max(0, 2 * len(counts) - rated - 2)
