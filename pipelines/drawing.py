"""A board as text, drawn as it lies between the players."""

from collections.abc import Sequence

from sim.rules import Rules

Rows = Sequence[Sequence[int]]


def draw_board(rules: Rules, pits: Rows, stores: Sequence[int], closed: Rows) -> list[str]:
    """Draw a position in four lines of at most 60 characters: pit numbers outside, rows inside.

    Player 0 sits below. Counter-clockwise, player 0's store lies at the right; clockwise, at
    the left. A closed pit shows as `x`.

    >>> from sim.presets import load_variant
    >>> rules = load_variant("kalah", {"board.pits": 3}).rules
    >>> print("\\n".join(draw_board(rules, [[4, 0, 5], [0, 0, 4]], [1, 2], [[], [0]])))
             2   1   0
    [  2]    4   0   x
             4   0   5  [  1]
             0   1   2
    """
    numbers = [str(pit) for pit in range(rules.board.pits)]
    south, north = (
        ["x" if pit in shut else str(seeds) for pit, seeds in enumerate(row)]
        for row, shut in zip(pits, closed, strict=True)
    )
    mine, theirs = (f"[{seeds:3}]" for seeds in stores)
    if rules.board.direction == "ccw":
        lines = [
            _line(numbers[::-1]),
            _line(north[::-1], left=theirs),
            _line(south, right=mine),
            _line(numbers),
        ]
    else:
        lines = [
            _line(numbers),
            _line(north, right=theirs),
            _line(south[::-1], left=mine),
            _line(numbers[::-1]),
        ]
    return lines


def _line(cells: Sequence[str], left: str = "", right: str = "") -> str:
    return f"{left:5} {''.join(f'{cell:>4}' for cell in cells)}  {right}".rstrip()
