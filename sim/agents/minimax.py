"""The player that searches to a depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from sim.agents.agent import MOST_TABLE, Agent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sim.agents.agent import Chooser
    from sim.kernel.sitting import Sitting
    from sim.rules import Rules


class Minimax(Agent):
    """Alpha-beta search with iterative deepening; see `sim.kernel.alphabeta`."""

    name = "minimax"
    about = "searches DEPTH plies deep (alpha-beta), exact where the game ends; ties at random"
    main = "depth"

    depth: int = Field(ge=1, le=200, description="plies to look ahead, from 1 to 200")
    nodes: int | None = Field(
        None, ge=1, le=10**12, description="positions a move may visit at most, 1 or more"
    )
    time: float | None = Field(
        None, gt=0, le=86_400, description="seconds a move may take at most, above 0"
    )
    eval: Literal["stores", "seeds"] = Field(
        "stores",
        description="stores (their difference) or seeds (rows count with their owners' stores)",
    )
    table: int = Field(
        0,
        ge=0,
        le=MOST_TABLE,
        description=f"seeds up to which an endgame table is used, from 0 to {MOST_TABLE}",
    )

    @property
    def weight(self) -> float:
        """See `Agent.weight`."""
        return min(20.0 * 2.2**self.depth, 10.0 * (self.nodes or 1e9), 5e7 * (self.time or 1e3))

    @property
    def repeats(self) -> bool:
        """See `Agent.repeats`."""
        return self.time is None

    def quick(self) -> Agent:
        """See `Agent.quick`."""
        return Minimax(depth=1, table=min(self.table, 1), eps=self.slips)

    @property
    def unit(self) -> str:
        """See `Agent.unit`."""
        return "seeds"

    def chooser(self, rules: Rules) -> Chooser:
        """See `Agent.chooser`."""
        return MinimaxChooser(self, rules)


class MinimaxChooser:
    """See `Minimax`."""

    def __init__(self, agent: Minimax, rules: Rules) -> None:
        from sim.search import Search

        self._search = Search(
            rules,
            agent.depth,
            agent.nodes,
            seconds=agent.time,
            table=agent.table,
            by_rows=agent.eval == "seeds",
        )

    def choose(self, sitting: Sitting, games: NDArray[np.int64]) -> None:
        """See `Chooser.choose`."""
        self._search.choose(sitting, games)
