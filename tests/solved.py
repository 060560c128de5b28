"""Positions solved in plain Python over the referee, by another method than the tables'.

For each value there are two sets: the positions in which the mover can force as much, and those in
which the opponent can. They grow from the rounds' ends until nothing is added.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sim.referee import Position, legal, step
from sim.referee.ends import RoundReason, after_passes, collect, end_of_round, winner_of_round
from sim.rules import Rules

Rows = tuple[tuple[int, ...], ...]
"""The mover's row, then the opponent's."""


@dataclass
class Node:
    """What can be chosen in a position: known values, and positions with as many seeds.

    Of those, whether the other player is then to move.
    """

    known: list[int] = field(default_factory=list)
    children: list[tuple[Rows, bool]] = field(default_factory=list)


@dataclass
class Solved:
    """The values of all positions with at most so many seeds, and what can be chosen in each."""

    values: dict[Rows, int] = field(default_factory=dict)
    nodes: dict[Rows, Node] = field(default_factory=dict)


def solved(rules: Rules, seeds: int) -> Solved:
    """Solve all positions with at most so many seeds in the rows."""
    found = Solved()
    for s in range(seeds + 1):
        nodes = {
            (cells[: rules.board.pits], cells[rules.board.pits :]): Node()
            for cells in shared(s, 2 * rules.board.pits)
        }
        for rows, node in nodes.items():
            _fill(rules, found, rows, node)
        found.values |= dict.fromkeys(nodes, 0)
        found.nodes |= nodes
        for value in range(1, s + 1):
            mover, opponent = _forced(nodes, value)
            found.values |= dict.fromkeys(mover, value) | dict.fromkeys(opponent, -value)
    return found


def shared(seeds: int, cells: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to put seeds into cells."""
    if cells == 1:
        yield (seeds,)
        return
    for first in range(seeds + 1):
        for rest in shared(seeds - first, cells - 1):
            yield (first, *rest)


def _fill(rules: Rules, found: Solved, rows: Rows, node: Node) -> None:
    start = Position.of(rows, (0, 0), 0)
    position = after_passes(rules, start)
    if reason := end_of_round(rules, position):
        node.known.append(_worth(rules, position, reason))
    elif position.to_move == 1:
        node.children.append((rows[::-1], True))
    else:
        for pit in legal(rules, position):
            after, reason = step(rules, position, pit)
            there = after.pits[:: 1 - 2 * after.to_move]
            if reason:
                node.known.append(_worth(rules, after, reason))
            elif there in found.values:
                below = found.values[there] * (1 - 2 * after.to_move)
                node.known.append(_gain(rules, after) + below)
            else:
                node.children.append((there, after.to_move == 1))


def _gain(rules: Rules, position: Position) -> int:
    emptying = rules.end.goal == "empty-first"
    return 0 if emptying else position.stores[0] - position.stores[1]


def _worth(rules: Rules, position: Position, reason: RoundReason) -> int:
    final = collect(rules, position, reason)
    if rules.end.goal == "empty-first":
        winner = winner_of_round(rules, final, reason)
        return 0 if winner is None else 1 - 2 * winner
    return _gain(rules, final)


def _forced(nodes: dict[Rows, Node], value: int) -> tuple[set[Rows], set[Rows]]:
    """Return where the mover can force a value, and where the opponent can."""
    mover: set[Rows] = set()
    opponent: set[Rows] = set()
    size = -1
    while size < len(mover) + len(opponent):
        size = len(mover) + len(opponent)
        for rows, node in nodes.items():
            if any(known >= value for known in node.known) or any(
                child in (opponent if other else mover) for child, other in node.children
            ):
                mover.add(rows)
            if all(known <= -value for known in node.known) and all(
                child in (mover if other else opponent) for child, other in node.children
            ):
                opponent.add(rows)
    return mover, opponent
