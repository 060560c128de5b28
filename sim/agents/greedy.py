"""The player that takes what it can get with the move, and what restrictions make of it."""

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


class Greedy(Agent):
    """Looks one move ahead.

    Its options restrict or widen what it sees, after the restricted play of Jaffe, Miller,
    Andersen, Liu, Karlin and Popović, "Evaluating competitive game balance with restricted play"
    (AIIDE 2012): what a restricted player loses against an unrestricted one is what the
    forgone kind of move is worth.
    """

    name = "greedy"
    about = "banks most seeds with the move, an extra turn worth one more; ties at random"

    captures: Literal["take", "avoid"] = Field(
        "take", description="take, or avoid: never capture where another move is legal"
    )
    extra_turns: Literal["count", "ignore"] = Field(
        "count", description="count, or ignore: an extra turn is worth nothing"
    )
    opponent: Literal["ignore", "heed"] = Field(
        "ignore", description="ignore, or heed: what the other banks at most in reply counts too"
    )

    @property
    def weight(self) -> float:
        """See `Agent.weight`."""
        return 40.0 if self.opponent == "heed" else 8.0

    def chooser(self, rules: Rules) -> Chooser:
        """See `Agent.chooser`."""
        return GreedyChooser(self, rules)


class GreedyChooser:
    """See `Greedy`."""

    def __init__(self, agent: Greedy, rules: Rules) -> None:
        from sim.tables import tables

        self._tables = tables(rules)
        self._options = (
            agent.captures == "avoid",
            agent.extra_turns == "count",
            agent.opponent == "heed",
        )

    def choose(self, sitting: Sitting, games: NDArray[np.int64]) -> None:
        """See `Chooser.choose`."""
        from sim.kernel.choose import choose_greedy

        choose_greedy(self._tables, sitting, games, *self._options)
