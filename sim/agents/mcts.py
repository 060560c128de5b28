"""The player that plays games out at random and grows a tree of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from sim.agents.agent import Agent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sim.agents.agent import Chooser
    from sim.kernel.sitting import Sitting
    from sim.rules import Rules


MOST_NODES = 1 << 23  # 130 MB


class Mcts(Agent):
    """UCT search; see `sim.kernel.uct`."""

    name = "mcts"
    about = "grows a tree by SIMULATIONS games played out a move (UCT), won subtrees recognised"
    main = "simulations"

    simulations: int = Field(
        ge=1, le=10**7, description="games to play out a move, from 1 to 10000000"
    )
    c: float = Field(
        0.5, ge=0, le=100, description="the weight of what is little explored, from 0 to 100"
    )
    rollout: Literal["random", "greedy"] = Field(
        "random", description="random or greedy: who plays games out"
    )
    reward: Literal["win", "margin"] = Field(
        "win", description="win (a draw is half of one) or margin (of seeds)"
    )
    reuse: Literal["yes", "no"] = Field(
        "yes", description="yes or no: whether the tree is kept for the next move"
    )

    @property
    def nodes(self) -> int:
        """How many positions a game's tree holds; when it is full, it grows no more."""
        return min(4 * self.simulations + 64, MOST_NODES)

    @property
    def games_at_once(self) -> int:
        """See `Agent.games_at_once`: both players' trees of all games have about 100 MB."""
        return max(1, min(128, 3_000_000 // self.nodes))

    @property
    def weight(self) -> float:
        """See `Agent.weight`."""
        return (200.0 if self.rollout == "greedy" else 40.0) * self.simulations

    def quick(self) -> Agent:
        """See `Agent.quick`."""
        return Mcts(simulations=2, eps=self.slips)

    @property
    def unit(self) -> str:
        """See `Agent.unit`."""
        return "points" if self.reward == "win" else "of all seeds"

    def chooser(self, rules: Rules) -> Chooser:
        """See `Agent.chooser`."""
        return MctsChooser(self, rules)


class MctsChooser:
    """See `Mcts`."""

    def __init__(self, agent: Mcts, rules: Rules) -> None:
        from sim.trees import Forest

        self._forest = Forest(agent, rules)

    def choose(self, sitting: Sitting, games: NDArray[np.int64]) -> None:
        """See `Chooser.choose`."""
        self._forest.choose(sitting, games)
