"""The search that solves a game's first moves, with as much memory as it is given."""

from collections.abc import Sequence

import numpy as np

from sim.agents import parse_agent
from sim.kernel.alphabeta import BUDGET, EVALUATED, GENERATION, NODES
from sim.kernel.search import UNLIMITED, solve_pit
from sim.rules import Rules
from sim.search import UNBOUNDED, desk_of
from sim.sittings import Table
from sim.tables import tables, words_of

Bounds = tuple[int, int]
"""The least and the most that a value can be."""

MOST_BYTES = 1 << 60  # that can be asked for
QUICK_BYTES, QUICK_NODES = 96 << 20, 1 << 24
"""The memory to begin with, and the positions that it suffices for.

A memory takes time to be touched: Kalah of six pits with three seeds takes half as long with this
much as with 1 GiB.
"""


class FirstMoves:
    """The bounds of each first move's value for player 0, closed in on by `run`.

    `memory` is in bytes. `nodes` bounds the positions visited.
    """

    def __init__(
        self, rules: Rules, pits: Sequence[int], memory: int, nodes: int | None = None
    ) -> None:
        random = parse_agent("random")
        self._rules, self._tables = rules, tables(rules)
        self._sitting = Table(rules, (random, random), 0, 0, 1).sitting
        self._sign = 1 - 2 * int(self._sitting.player[0])
        self._memory, self._nodes = memory, nodes or UNBOUNDED
        # Fails now, if it is not to be had, rather than when the quick memory is used up.
        np.empty(min(memory, MOST_BYTES), np.uint8)
        self._most = rules.total if rules.end.goal == "most-seeds" else 1
        self._counts = np.zeros(6, np.int64)
        self._before = 0
        self._stopped = False
        self.bounds: dict[int, Bounds] = dict.fromkeys(pits, (-self._most, self._most))
        self.stopped_by = ""

    @property
    def positions(self) -> int:
        """How many positions have been visited."""
        return self._before + int(self._counts[NODES])

    @property
    def done(self) -> int:
        """How many first moves are solved."""
        return sum(low == high for low, high in self.bounds.values())

    def stop(self) -> None:
        """Have `run` return at the next position, from another thread."""
        self._stopped = True
        self._counts[BUDGET] = 0

    def run(self) -> None:
        """Solve the first moves, or stop at a bound; `stopped_by` says which, if not by `stop`."""
        if self._memory > QUICK_BYTES and self._nodes > QUICK_NODES:
            self._search(QUICK_BYTES, QUICK_NODES)
        if self.done < len(self.bounds) and not self._stopped:
            self._search(self._memory, self._nodes)
            if self.done < len(self.bounds) and not self._stopped:
                by_nodes = self.positions >= self._nodes
                self.stopped_by = f"{self._nodes:,} positions" if by_nodes else f"{UNLIMITED} plies"

    def _search(self, memory: int, nodes: int) -> None:
        """Solve what is left, with so much memory and up to so many positions in all."""
        entry = 8 * (2 * words_of(self._rules.board.pits) + 1)
        # A position has two places side by side, which 32 bits of its hash choose.
        desk = desk_of(self._rules, min(memory // entry, 1 << 32) & ~1)
        self._before = self.positions
        self._counts = desk.counts
        desk.counts[BUDGET], desk.counts[GENERATION] = nodes - self._before, 1
        guess = 0
        # The pit beside the store first: its worth is the best guess for the next.
        for pit in sorted(self.bounds, reverse=True):
            low, high = self.bounds[pit]
            if low < high and not self._stopped:
                desk.counts[EVALUATED] = 0
                found = solve_pit(self._tables, desk, self._sitting, np.uint64(pit), guess)
                if desk.counts[EVALUATED] == 0:
                    guess = found[0] if found[0] == found[1] else guess
                    self.bounds[pit] = self._closer((low, high), found)
                if desk.counts[NODES] >= desk.counts[BUDGET]:
                    return

    def _closer(self, known: Bounds, found: Bounds) -> Bounds:
        """Return what is known with what was found, which the mover sees and may be beyond."""
        low, high = (self._sign * int(np.clip(v, -self._most, self._most)) for v in found)
        low, high = min(low, high), max(low, high)
        return max(low, known[0]), min(high, known[1])
