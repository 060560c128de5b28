"""Small boards for tests, written in a line."""

from collections.abc import Sequence

from sim.presets import load_variant
from sim.referee import Game, Position
from sim.rules import Rules, Value


def three(keys: dict[str, Value] | None = None) -> Rules:
    """Kalah on three pits, for boards that fit a line."""
    return load_variant("kalah", {"board.pits": 3, "board.seeds": 2, **(keys or {})}).rules


def at(
    rules: Rules,
    south: Sequence[int],
    north: Sequence[int],
    stores: Sequence[int],
    to_move: int = 0,
) -> Game:
    """A game that stands at a position."""
    return Game(rules, Position.of([south, north], stores, to_move))
