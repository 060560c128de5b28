"""What lies where: a position, and the checks of a start given by hand."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sim.errors import UserError, shown
from sim.rules import MAX_TOTAL, Rules

Row = tuple[int, ...]

START_KEYS = ("pits", "stores", "to_move")


@dataclass(frozen=True)
class Position:
    """The seeds, who is to move, and which pits are closed (burnt) in this round.

    `pits` has player 0's row and player 1's, each along its owner's sowing direction: pit 0 is
    farthest from the owner's store. `closed` lists the closed pits of each player, ascending;
    a closed pit holds nothing.
    """

    pits: tuple[Row, Row]
    stores: tuple[int, int]
    to_move: int
    closed: tuple[Row, Row] = ((), ())

    @classmethod
    def of(
        cls,
        pits: Iterable[Iterable[int]],
        stores: Iterable[int],
        to_move: int,
        closed: Iterable[Iterable[int]] = ((), ()),
    ) -> "Position":
        """Freeze rows, stores and closed pits given as any sequences.

        >>> Position.of([[0, 1], [2, 0]], [3, 0], to_move=1).row_empty(0)
        False
        """
        south, north = map(tuple, pits)
        mine, theirs = stores
        shut_south, shut_north = map(tuple, closed)
        return cls((south, north), (mine, theirs), to_move, (shut_south, shut_north))

    @property
    def total(self) -> int:
        """Seeds in rows and stores."""
        return sum(map(sum, self.pits)) + sum(self.stores)

    def row_empty(self, player: int) -> bool:
        """Whether a player's row holds no seed."""
        return not any(self.pits[player])


def start_of(rules: Rules) -> Position:
    """Return the variant's own start: full rows, empty stores, player 0 to move."""
    return Position.of(rules.start, (0, 0), to_move=0)


def read_start(rules: Rules, start: Any) -> Position:
    """Check a start given by hand, `{"pits": [[…], […]], "stores": […], "to_move": 0}`.

    It need not hold as many seeds as the variant's own start, but at most 255. Raises
    `UserError` saying which part is wrong and what it must be.

    >>> from sim.presets import load_variant
    >>> start = {"pits": [[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 2]], "stores": [22, 23], "to_move": 1}
    >>> read_start(load_variant("kalah").rules, start).total
    48
    """
    if not isinstance(start, Mapping) or set(start) != set(START_KEYS):
        raise UserError(f"start must be an object of {', '.join(START_KEYS)}, no more and no less")
    pits, stores, to_move = (start[name] for name in START_KEYS)
    size = rules.board.pits
    if not (isinstance(pits, list | tuple) and len(pits) == 2):
        raise UserError(f"start.pits must be two lists of {size} numbers of seeds")
    for player, row in enumerate(pits):
        _check_counts(row, size, f"start.pits[{player}]")
    _check_counts(stores, 2, "start.stores")
    if not is_integer(to_move) or to_move not in (0, 1):
        raise UserError(f"start.to_move = {shown(to_move)} is not allowed: give 0 or 1")
    position = Position.of(pits, stores, to_move)
    if position.total > MAX_TOTAL:
        raise UserError(f"start holds {position.total} seeds: at most {MAX_TOTAL} are allowed")
    return position


def _check_counts(counts: Any, size: int, where: str) -> None:
    if not isinstance(counts, list | tuple) or len(counts) != size:
        raise UserError(f"{where} must be a list of {size} numbers of seeds")
    for at, count in enumerate(counts):
        if not is_integer(count) or not 0 <= count <= MAX_TOTAL:
            raise UserError(
                f"{where}[{at}] = {shown(count)} is not allowed:"
                f" give an integer from 0 to {MAX_TOTAL}"
            )


def is_integer(value: Any) -> bool:
    """Whether a value is an integer; `True` and `1.0` are none."""
    return isinstance(value, int) and not isinstance(value, bool)
