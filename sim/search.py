"""Alpha-beta search in the games of a sitting: the memory that it needs, kept between moves."""

import threading
from functools import lru_cache
from math import comb
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from sim.agents.agent import MOST_TABLE
from sim.endgames import endgames
from sim.kernel.alphabeta import BY_ROWS, HIGHEST, Desk
from sim.kernel.choose import choose_only
from sim.kernel.endgames import NO_ENDGAMES, Endgames
from sim.kernel.search import search_games
from sim.kernel.sitting import Sitting
from sim.rules import Rules
from sim.tables import tables, words_of

UNBOUNDED = 2**62
MOST_BITS = 20  # a million positions are remembered, 24 MB
POSITIONS = 1_000_000
"""Positions of an endgame table whose size is not said: some seconds' work, three megabytes."""


class Search:
    """A search of up to `depth` plies, or of any depth where that is None.

    A move visits at most `nodes` positions, or takes about `seconds`. `table` is up to how many
    seeds an endgame table is used, `by_rows` how positions are evaluated (see
    `sim.kernel.alphabeta.evaluated`). What a search finds does not depend on what was searched
    before.
    """

    def __init__(
        self,
        rules: Rules,
        depth: int | None,
        nodes: int | None = None,
        *,
        seconds: float | None = None,
        table: int = 0,
        by_rows: bool = False,
    ) -> None:
        self._tables = tables(rules)
        self._depth, self._nodes = HIGHEST if depth is None else depth, nodes or UNBOUNDED
        self._seconds, self._rate = seconds, 1e6  # positions a second, so far
        self._line = 2 * words_of(rules.board.pits) * (HIGHEST + 2)
        bits = max(8, min(MOST_BITS, 2 * self._depth, self._nodes.bit_length() + 1))
        ends = endgames_of(rules, table) if table and told_by_tables(rules) else NO_ENDGAMES
        self._desk = desk_of(rules, 1 << bits, ends)
        self._desk.counts[BY_ROWS] = by_rows

    def choose(self, sitting: Sitting, games: NDArray[np.int64]) -> None:
        """Choose in some games of a sitting. See `sim.agents.agent.Chooser`."""
        others = np.empty_like(games)
        others = others[: choose_only(sitting, games, others)]
        if self._seconds is None:
            self._search(sitting, others, self._nodes, only_exact=False)
            return
        for i in range(len(others)):
            start = perf_counter()
            budget = min(self._nodes, 1 + int(self._seconds * self._rate))
            self._search(sitting, others[i : i + 1], budget, only_exact=False)
            spent = max(perf_counter() - start, 1e-6)
            self._rate = max(1e5, float(sitting.nodes[others[i]]) / spent)

    def choose_solved(self, sitting: Sitting, games: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose in those of some games that can be searched to their end; return the others."""
        return games[~self._search(sitting, games, self._nodes, only_exact=True)]

    def _search(
        self, sitting: Sitting, games: NDArray[np.int64], budget: int, *, only_exact: bool
    ) -> NDArray[np.bool_]:
        """Search, and return in which games to the end."""
        room = len(sitting.history) // len(sitting.player)
        if len(self._desk.history) < room + self._line:
            self._desk = self._desk._replace(history=np.empty(room + self._line, np.uint64))
        exact = np.zeros(len(games), np.bool_)
        search_games(
            self._tables, self._desk, sitting, games, self._depth, budget, only_exact, exact
        )
        return exact


def desk_of(rules: Rules, entries: int, ends: Endgames = NO_ENDGAMES) -> Desk:
    """Return room for a search that remembers so many positions, an even number."""
    words = 2 * words_of(rules.board.pits)
    return Desk(
        memory=np.zeros(entries * (words + 1), np.uint64),
        counts=np.zeros(6, np.int64),
        kids=np.empty((HIGHEST + 1) * 12 * words, np.uint64),
        marks=np.empty((HIGHEST + 1) * 12, np.uint64),
        history=np.empty((HIGHEST + 2) * words, np.uint64),
        ends=ends,
    )


def told_by_tables(rules: Rules) -> bool:
    """Whether endgame tables tell who wins.

    They know no pits that are closed, as in a match's later rounds, and play on to the last seed: a
    store that ends the round with fewer than half of the seeds can lose.
    """
    wins = rules.win_seeds
    return rules.match.kind == "single" and (wins is None or 2 * wins > rules.total)


def seeds_by_default(pits: int) -> int:
    """Return up to how many seeds a table of at most `POSITIONS` positions goes.

    >>> seeds_by_default(6), seeds_by_default(12)
    (10, 6)
    """
    seeds = 0
    while seeds < MOST_TABLE and comb(seeds + 1 + 2 * pits, 2 * pits) <= POSITIONS:
        seeds += 1
    return seeds


def endgames_of(rules: Rules, seeds: int) -> Endgames:
    """Return an endgame table, which is kept: threads that need the same one share it."""
    with _READING:
        return _endgames(rules, min(seeds, rules.total))


_READING = threading.Lock()


@lru_cache(maxsize=8)
def _endgames(rules: Rules, seeds: int) -> Endgames:
    return endgames(rules, seeds)
