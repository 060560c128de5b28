"""What statistics are made of, batch by batch: totals, exact histograms, a sample of digests."""

from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

SMALLEST = 4096
"""Digests that a sample keeps of a cell's games: the smallest ones."""

_WAITING = 1 << 14  # games whose digests may wait before a sample is sorted


class Tally(Protocol):
    """Gathers one measure of the games of one span."""

    def add(self, values: Any) -> None:
        """Take a batch's values."""
        ...

    def result(self) -> Any:
        """Return what is stored: a number, or the arrays of `Counts`."""
        ...


Counts = tuple[NDArray[Any], NDArray[np.int64]]
"""Ascending values, and how many games have each."""


class Total:
    """A sum of integers, which adds up over spans. A batch's value may be none at all."""

    def __init__(self) -> None:
        self._sum: int | None = None

    def add(self, values: int | None) -> None:
        """Add a batch's sum."""
        if values is not None:
            self._sum = (self._sum or 0) + int(values)

    def result(self) -> int | None:
        """Return the sum."""
        return self._sum


class Histogram:
    """How many games have each value: counts, which add up over spans."""

    def __init__(self) -> None:
        self._low = 0
        self._counts = np.zeros(0, np.int64)

    def add(self, values: NDArray[Any]) -> None:
        """Count a batch's values."""
        low, high = int(values.min()), int(values.max())
        if not len(self._counts):
            self._low = low
        self._cover(low, high)
        if low == high:  # games of one round, or that all end for one reason
            self._counts[low - self._low] += len(values)
        else:
            counts = np.bincount(np.subtract(values, low, dtype=np.int64))
            self._counts[low - self._low :][: len(counts)] += counts

    def _cover(self, low: int, high: int) -> None:
        start, stop = min(low, self._low), max(high + 1, self._low + len(self._counts))
        if stop - start > len(self._counts):
            wider = np.zeros(stop - start, np.int64)
            wider[self._low - start :][: len(self._counts)] = self._counts
            self._low, self._counts = start, wider

    def result(self) -> Counts:
        """Return the values that came, and how often each."""
        held = np.flatnonzero(self._counts)
        return held + self._low, self._counts[held]


class Sample:
    """The smallest digests with the number of games that have each.

    A digest among the smallest of all games is among the smallest of any part of them that it
    is in. So none that counts is ever dropped, and samples merge: equal digests' games add up,
    and the smallest are kept.
    """

    def __init__(self) -> None:
        self._digests = np.zeros(0, np.uint64)
        self._games = np.zeros(0, np.int64)
        self._bound: np.uint64 | None = None  # what lies above it cannot be among the smallest
        self._waiting: list[NDArray[np.uint64]] = []
        self._count = 0

    def add(self, values: NDArray[np.uint64]) -> None:
        """Take a batch's digests."""
        # A copy either way: what waits would hold the batch that it is a part of.
        values = values.copy() if self._bound is None else values[values <= self._bound]
        if len(values):
            self._waiting.append(values)
            self._count += len(values)
            if self._count >= _WAITING:
                self._settle()

    def result(self) -> Counts:
        """Return the smallest digests, and how many games have each."""
        self._settle()
        return self._digests, self._games

    def _settle(self) -> None:
        if not self._waiting:
            return
        new = np.concatenate(self._waiting)
        self._waiting, self._count = [], 0
        digests = np.concatenate([self._digests, new])
        games = np.concatenate([self._games, np.ones(len(new), np.int64)])
        order = np.argsort(digests)
        digests = digests[order]
        starts = np.flatnonzero(np.concatenate([[True], digests[1:] != digests[:-1]]))
        self._games = np.add.reduceat(games[order], starts)[:SMALLEST]
        self._digests = digests[starts][:SMALLEST]
        if len(self._digests) == SMALLEST:
            self._bound = self._digests[-1]


def counts_type(value: pa.DataType) -> pa.DataType:
    """Return the type under which `Counts` are stored."""
    pair = [
        pa.field("value", value, nullable=False),
        pa.field("games", pa.int64(), nullable=False),
    ]
    return pa.list_(pa.field("element", pa.struct(pair), nullable=False))
