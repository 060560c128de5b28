"""UCT search in the games of a sitting: their trees, kept between moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sim.kernel.choose import choose_only
from sim.kernel.descent import Reach, Wishes
from sim.kernel.sitting import Sitting
from sim.kernel.state import GROUPS, LANES
from sim.kernel.tree import NODE, PATH, Trees
from sim.kernel.uct import search_trees
from sim.room import MOVES_PER_BATCH, ROOMS
from sim.tables import tables, words_of

if TYPE_CHECKING:
    from sim.agents.mcts import Mcts
    from sim.rules import Rules


class Forest:
    """The trees of one player in the games of a sitting."""

    def __init__(self, agent: Mcts, rules: Rules) -> None:
        self._tables, self._words = tables(rules), 2 * words_of(rules.board.pits)
        self._wishes = Wishes(
            simulations=agent.simulations,
            c=agent.c,
            greedy=agent.rollout == "greedy",
            by_margin=agent.reward == "margin",
            reuse=agent.reuse == "yes",
            seeds=float(rules.total),
        )
        self._part = agent.nodes
        self._trees: Trees | None = None
        self._reach = Reach(
            game=np.empty(LANES, np.int64),
            played=np.empty(LANES, np.int64),
            path=np.empty((LANES, PATH), np.int32),
            length=np.empty(LANES, np.int64),
            busy=np.empty(GROUPS, np.int64),
        )

    def choose(self, sitting: Sitting, games: NDArray[np.int64]) -> None:
        """Choose in some games of a sitting. See `sim.agents.agent.Chooser`."""
        trees = self._trees = self._trees or _planted(len(sitting.player), self._part)
        others = np.empty_like(games)
        others = others[: choose_only(sitting, games, others)]
        _, work = ROOMS.of(MOVES_PER_BATCH, self._words)
        search_trees(self._tables, sitting, others, trees, self._reach, work, self._wishes)


def _planted(games: int, part: int) -> Trees:
    return Trees(
        nodes=np.recarray(games * part, NODE),
        used=np.empty(games, np.int64),
        made=np.full(games, -1, np.int64),
        rounds=np.zeros(games, np.int64),
        spare=np.recarray(part, NODE),
    )
