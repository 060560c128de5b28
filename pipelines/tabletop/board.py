"""The picture of a position, as it lies between the players, with the last move's path in it."""

from collections.abc import Callable, Iterable

from sim.referee import Cell, Position, Sown
from sim.rules import Rules

SEATS = ("South", "North")
MARKS = {"lifted": "-", "sown": "+", "taken": "!", "last": "*"}
"""What the last move did to a cell, and the sign behind the cell's seeds."""

Ink = Callable[[str, str], str]
"""Colours a text by what it shows: one of `MARKS`, `legal` or `burnt`."""


def no_ink(text: str, _: str) -> str:
    """Leave a text as it is."""
    return text


def marks_of(mover: int, pit: int, sown: Sown) -> dict[Cell, str]:
    """Return what a move did to each cell that it changed, the most telling where it did several.

    >>> from sim.presets import load_variant
    >>> from sim.referee import Game, sow
    >>> rules = load_variant("kalah").rules
    >>> marks_of(0, 4, sow(rules, Game(rules).position, 4))
    {(0, 4): 'lifted', (0, 5): 'sown', (0, 6): 'sown', (1, 0): 'sown', (1, 1): 'last'}
    """
    marks = {(mover, pit): "lifted"}
    marks |= dict.fromkeys(sorted(sown.reached), "sown")
    marks |= dict.fromkeys(sown.taken, "taken")
    marks[sown.last] = "last"
    return marks


def draw(
    rules: Rules,
    position: Position,
    legal: Iterable[int] = (),
    marks: dict[Cell, str] | None = None,
    ink: Ink = no_ink,
) -> list[str]:
    """Draw a position in four lines of at most 75 characters.

    South, who is player 0, sits below. Counter-clockwise each store lies at its owner's right.
    `legal` are pits of the player to move, whose names then stand in brackets.

    >>> from sim.presets import load_variant
    >>> from sim.referee import Game
    >>> rules = load_variant("kalah", {"board.pits": 3}).rules
    >>> print("\\n".join(draw(rules, Game(rules).position, [0, 2], {(0, 1): "last"})))
    North     2    1    0
    [  0]     4    4    4
              4    4*   4  [  0]
    South    (0)   1   (2)
    """
    marks = marks or {}
    may = {(position.to_move, pit) for pit in legal}
    size = rules.board.pits
    names, rows, stores = [], [], []
    for owner in (0, 1):
        cells = [(owner, pit) for pit in range(size)]
        # The one below looks at the board with the first pit at the left, the other one likewise.
        if (owner == 0) != (rules.board.direction == "ccw"):
            cells.reverse()
        names.append("".join(_name(cell, cell in may, ink) for cell in cells))
        rows.append("".join(_pit(position, cell, marks.get(cell), ink) for cell in cells))
        stores.append(_store(position.stores[owner], marks.get((owner, size)), ink))
    left, right = (1, 0) if rules.board.direction == "ccw" else (0, 1)
    ends = {left: (f"{stores[left]} ", ""), right: (" " * 7, f" {stores[right]}")}
    lines = [
        f"{SEATS[1]:7}{names[1]}",
        ends[1][0] + rows[1] + ends[1][1],
        ends[0][0] + rows[0] + ends[0][1],
        f"{SEATS[0]:7}{names[0]}",
    ]
    return [line.rstrip() for line in lines]


def _name(cell: Cell, legal: bool, ink: Ink) -> str:
    pit = cell[1]
    return ink(f"{f'({pit}':>4})", "legal") if legal else f"{pit:4} "


def _pit(position: Position, cell: Cell, mark: str | None, ink: Ink) -> str:
    owner, pit = cell
    if pit in position.closed[owner]:
        return ink("   x ", "burnt")
    return _marked(f"{position.pits[owner][pit]:4}", mark, ink)


def _store(seeds: int, mark: str | None, ink: Ink) -> str:
    return _marked(f"[{seeds:3}]", mark, ink)


def _marked(text: str, mark: str | None, ink: Ink) -> str:
    return ink(text + MARKS[mark], mark) if mark else f"{text} "
