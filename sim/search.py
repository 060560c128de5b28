"""Alpha-beta search in games of a variant: the memory that it needs, kept between moves."""

import numpy as np
from numpy.typing import NDArray

from sim.kernel.alphabeta import BY_ROWS, HIGHEST, Desk
from sim.kernel.search import search_games
from sim.kernel.sitting import Sitting
from sim.rules import Rules
from sim.tables import tables, words_of

UNBOUNDED = 2**62
MOST_BITS = 20  # a million positions are remembered, 24 MB


class Search:
    """A search of up to `depth` plies, or of any depth where that is None.

    `by_rows` is how positions are evaluated: see `sim.kernel.alphabeta.evaluated`. What a search
    finds does not depend on what was searched before.
    """

    def __init__(
        self,
        rules: Rules,
        depth: int | None,
        nodes: int | None = None,
        *,
        seconds: float | None = None,
        by_rows: bool = False,
    ) -> None:
        self._tables = tables(rules)
        self._depth = HIGHEST if depth is None else depth
        self._nodes = nodes or UNBOUNDED
        bits = max(8, min(MOST_BITS, 2 * self._depth, self._nodes.bit_length() + 1))
        self.desk = desk_of(rules, 1 << bits)
        self.desk.counts[BY_ROWS] = by_rows

    def choose(self, sitting: Sitting, games: NDArray[np.int64]) -> None:
        """Choose in some games of a sitting. See `sim.agents.agent.Chooser`."""
        exact = np.zeros(len(games), np.bool_)
        search_games(
            self._tables, self.desk, sitting, games, self._depth, self._nodes, False, exact
        )

    def choose_solved(self, sitting: Sitting, games: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose in those of some games that can be searched to their end; return the others."""
        exact = np.zeros(len(games), np.bool_)
        search_games(self._tables, self.desk, sitting, games, self._depth, self._nodes, True, exact)
        return games[~exact]


def desk_of(rules: Rules, entries: int) -> Desk:
    """Return room for a search that remembers so many positions."""
    words = 2 * words_of(rules.board.pits)
    # A line may hold so many positions besides those of the game before it.
    positions = 2 * HIGHEST + 10_000
    return Desk(
        memory=np.zeros(entries * (words + 1), np.uint64),
        counts=np.zeros(6, np.int64),
        kids=np.empty((HIGHEST + 1) * 12 * words, np.uint64),
        marks=np.empty((HIGHEST + 1) * 12, np.uint64),
        history=np.empty(positions * words, np.uint64),
    )
