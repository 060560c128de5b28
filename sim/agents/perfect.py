"""The player that makes no mistake where it can know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, field_validator

from sim.agents.agent import MOST_TABLE, Agent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sim.agents.agent import Chooser
    from sim.kernel.sitting import Sitting
    from sim.rules import Rules


class Perfect(Agent):
    """Plays by an endgame table, or by solving the position, and where neither reaches by another
    player."""

    name = "perfect"
    about = "plays by endgame tables or a solve, elsewhere as FALLBACK; ties at random"

    table: int | None = Field(
        None,
        ge=0,
        le=MOST_TABLE,
        description=f"seeds up to which an endgame table is used, from 0 to {MOST_TABLE} (as many"
        " as make a million positions)",
    )
    nodes: int = Field(
        200_000, ge=1, le=10**12, description="positions a solve may visit at most, 1 or more"
    )
    fallback: str = Field(
        "minimax:8",
        description="a player for what is not solved, such as minimax:8: neither perfect itself nor"
        " one with eps= or time=",
    )

    @field_validator("fallback")
    @classmethod
    def _a_player(cls, spec: str) -> str:
        from sim.agents import parse_agent
        from sim.errors import UserError

        try:
            agent = parse_agent(spec)
        except UserError as error:
            raise ValueError(str(error)) from None
        if isinstance(agent, Perfect) or agent.eps or not agent.repeats:
            raise ValueError("not a fallback")
        return agent.text

    @property
    def weight(self) -> float:
        """See `Agent.weight`."""
        return 5.0 * self.nodes

    def quick(self) -> Agent:
        """See `Agent.quick`."""
        from sim.agents import parse_agent

        fallback = parse_agent(self.fallback).quick()
        return Perfect(table=1, nodes=1, fallback=fallback.text, eps=self.slips)

    @property
    def unit(self) -> str:
        """See `Agent.unit`; nothing to be read where the fallback counts otherwise."""
        from sim.agents import parse_agent

        return "seeds" if parse_agent(self.fallback).unit in ("seeds", "") else ""

    def chooser(self, rules: Rules) -> Chooser:
        """See `Agent.chooser`."""
        return PerfectChooser(self, rules)


class PerfectChooser:
    """See `Perfect`."""

    def __init__(self, agent: Perfect, rules: Rules) -> None:
        from sim.agents import parse_agent
        from sim.search import Search, seeds_by_default

        table = seeds_by_default(rules.board.pits) if agent.table is None else agent.table
        self._search = Search(rules, None, agent.nodes, table=table)
        self._fallback = parse_agent(agent.fallback).chooser(rules)

    def choose(self, sitting: Sitting, games: NDArray[np.int64]) -> None:
        """See `Chooser.choose`."""
        open_games = self._search.choose_solved(sitting, games)
        if len(open_games):
            self._fallback.choose(sitting, open_games)
