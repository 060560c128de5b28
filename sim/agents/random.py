"""The player that draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.agents.agent import Agent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sim.agents.agent import Chooser
    from sim.kernel.sitting import Sitting
    from sim.rules import Rules
    from sim.tables import Tables


class Random(Agent):
    """Draws a legal pit."""

    name = "random"
    about = "every legal pit is as likely as any other"

    def chooser(self, rules: Rules) -> Chooser:
        """See `Agent.chooser`."""
        from sim.tables import tables

        return RandomChooser(tables(rules))


class RandomChooser:
    """See `Random`."""

    def __init__(self, t: Tables) -> None:
        self._tables = t

    def choose(self, sitting: Sitting, games: NDArray[np.int64]) -> None:
        """See `Chooser.choose`."""
        from sim.kernel.choose import choose_random

        choose_random(self._tables, sitting, games)
