"""A player of one's own: a Python function in a file."""

from __future__ import annotations

from pydantic import Field

from sim.agents.agent import Agent
from sim.agents.random import Random


class Own(Agent):
    """A Python function that is asked for each move."""

    name = "own"
    about = "a function of one's own, FILE.py:NAME"

    def quick(self) -> Agent:
        """See `Agent.quick`: what is compiled is what moves the game on."""
        return Random(eps=self.slips)

    file: str = Field(description="a Python file")
    function: str = Field(description="the name of a function in the file")
