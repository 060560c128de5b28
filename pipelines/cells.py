"""Cells: what is played, rules and two agents, each under an id of what it means."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from sim.agents import Agent
from sim.rules import KEYS, Rules, Value

SEMANTICS = 1
"""Version of how the engine plays. It rises when the same rules, agents, seed and game number
come to give another game, so that such games never share a cell."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Rules and agents, player 0's first, and how many plies of a game are random before theirs.

    The rules lie here as the values of `Rules.flat`, in the order of `KEYS`: a sweep may have
    a hundred thousand cells, and the model itself takes ten times the memory.
    """

    id: str
    variant: str
    values: tuple[Value, ...]
    agents: tuple[Agent, Agent]
    opening_plies: int = 0

    @property
    def keys(self) -> dict[str, Value]:
        """The rule keys, dotted, without those that are not given."""
        return {k: v for k, v in zip(KEYS, self.values, strict=True) if v is not None}

    @property
    def rules(self) -> Rules:
        """The rules, built anew."""
        return Rules.of(self.keys, self.variant)

    @property
    def pits(self) -> int:
        """Pits a player."""
        return cast("int", self.keys["board.pits"])

    @property
    def total(self) -> int:
        """All the seeds on its board."""
        layout = cast("list[list[int]] | None", self.keys.get("board.layout"))
        if layout is None:
            return 2 * self.pits * cast("int", self.keys["board.seeds"])
        return sum(map(sum, layout))

    @property
    def label(self) -> str:
        """The cell in a few words, not necessarily unlike those of others."""
        keys = self.keys
        seeds = keys.get("board.seeds", "layout")
        return f"{self.variant} {keys['board.pits']}×{seeds}, {self.seats}"

    @property
    def seats(self) -> str:
        """Who plays whom, the first player first."""
        opening = in_words(self.opening_plies)
        return f"{self.agents[0].text} against {self.agents[1].text}{opening}"


def in_words(opening_plies: int) -> str:
    """Say behind the players how a game begins, if not with them.

    >>> in_words(4), in_words(0)
    (', 4 random plies first', '')
    """
    plies = "ply" if opening_plies == 1 else "plies"
    return f", {opening_plies} random {plies} first" if opening_plies else ""


def meaning_text(rules: Rules) -> str:
    """Return what rules mean as canonical text: the part of `cell_id` that rules fix."""
    return _canonical(rules.meaning())


def cell_id(meaning: str, agents: tuple[Agent, Agent], opening_plies: int = 0) -> str:
    """Return the strong id, 32 hex digits, of rules by their `meaning_text`, agents and opening."""
    parts: dict[str, Any] = {"engine": SEMANTICS, "agents": [agent.text for agent in agents]}
    if opening_plies:
        parts["opening_plies"] = opening_plies
    text = _canonical(parts) + meaning
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def make_cell(
    variant: str, rules: Rules, agents: tuple[Agent, Agent], opening_plies: int = 0
) -> Cell:
    """Return the cell of rules, agents and opening."""
    ident = cell_id(meaning_text(rules), agents, opening_plies)
    return Cell(ident, variant, tuple(rules.flat().values()), agents, opening_plies)


def _canonical(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
