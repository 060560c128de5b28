"""The players that `--agent` names."""

from dataclasses import dataclass

from sim.errors import UserError, did_you_mean
from sim.kernel.names import PLAYERS as CODES

PLAYERS = {
    "random": "every legal pit is as likely as any other",
    "greedy": "banks most seeds with the move, an extra turn worth one more; ties at random",
}
"""What each player does."""


@dataclass(frozen=True)
class Agent:
    """A player as a cell names it: `text` is its canonical spelling, `code` the kernel's number."""

    name: str
    code: int
    text: str


def parse_agent(spec: str) -> Agent:
    """Read an agent's spec. Raises `UserError` naming what is allowed.

    >>> parse_agent("greedy")
    Agent(name='greedy', code=1, text='greedy')
    """
    name, colon, options = spec.strip().partition(":")
    if name not in PLAYERS:
        raise UserError(
            f"there is no agent '{spec}'{did_you_mean(name, PLAYERS)}; give one of "
            + ", ".join(PLAYERS)
        )
    if colon:
        raise UserError(f"agent '{spec}': {name} takes no options ('{options}'); give '{name}'")
    return Agent(name, CODES.index(name), name)
