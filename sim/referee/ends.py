"""What ends a round, who collects what is left, and who has won."""

from typing import Literal

from sim.referee.position import Position
from sim.referee.sowing import legal, sow
from sim.rules import Rules

RoundReason = Literal[
    "win-seeds", "side-empty", "board-empty", "no-move", "repetition", "max-plies", "max-laps"
]


def after_passes(rules: Rules, position: Position) -> Position:
    """Let a player whose row is empty pass, where rounds go on until the board is empty.

    An extra turn with an empty row is such a pass.
    """
    mover = position.to_move
    if _when(rules) == "board-empty" and position.row_empty(mover):
        return Position(position.pits, position.stores, 1 - mover, position.closed)
    return position


def end_of_round(
    rules: Rules, position: Position, occurrences: int = 1, plies: int = 0
) -> RoundReason | None:
    """Judge a position, after passes, for the player who is then to move. The order counts.

    `occurrences`: how often the position has come up within the repetition's window, this time
    included; `plies`: how many the round has had. A move whose relay was cut off has already
    ended the round as `max-laps`, before anything is judged here.
    """
    if rules.win_seeds is not None and max(position.stores) >= rules.win_seeds:
        return "win-seeds"
    empty = [position.row_empty(0), position.row_empty(1)]
    if _when(rules) == "side-empty" and any(empty):
        return "side-empty"
    if _when(rules) == "board-empty" and all(empty):
        return "board-empty"
    # Only `no-move` gets here with an empty row; but whatever ends a round, so does a player
    # with seeds and no legal move.
    if not legal(rules, position):
        return "no-move"
    if rules.end.repetition != "none" and occurrences >= rules.end.repetition:
        return "repetition"
    if plies >= rules.end.max_plies:
        return "max-plies"
    return None


def _when(rules: Rules) -> str:
    """Where the first empty row wins, an empty row ends a round, whatever `end.when` says."""
    return "side-empty" if rules.end.goal == "empty-first" else rules.end.when


def collect(rules: Rules, position: Position, reason: RoundReason) -> Position:
    """Move the seeds left in the rows at a round's end to whom they go."""
    if (
        rules.end.goal == "empty-first"
        or reason == "win-seeds"
        or (reason == "repetition" and rules.end.on_repetition == "leave")
    ):
        return position
    # `leftover` speaks of rounds that `end.when` or a want of moves has ended, and of one row
    # only: where both hold seeds, and at every bound, each player takes the own row.
    ended_by_rows = reason in ("side-empty", "board-empty", "no-move")
    one_row = position.row_empty(0) or position.row_empty(1)
    crossed = rules.end.leftover == "opponent" and ended_by_rows and one_row
    left = [sum(row) for row in position.pits]
    if crossed:
        left.reverse()
    stores = [store + seeds for store, seeds in zip(position.stores, left, strict=True)]
    bare = [[0] * rules.board.pits] * 2
    return Position.of(bare, stores, position.to_move, position.closed)


def winner_of_round(rules: Rules, position: Position, reason: RoundReason) -> int | None:
    """Return who has won a round, judged on the position after collecting; `None` is a draw."""
    if rules.end.goal == "empty-first":
        empty = [position.row_empty(0), position.row_empty(1)]
        if reason != "side-empty" or all(empty):
            return None
        return empty.index(True)
    return larger(position.stores)


def larger(stores: tuple[int, int]) -> int | None:
    """Return the player with the larger store, `None` where they are equal."""
    if stores[0] == stores[1]:
        return None
    return 0 if stores[0] > stores[1] else 1


def step(rules: Rules, position: Position, pit: int) -> tuple[Position, RoundReason | None]:
    """Play a legal pit in a round without memory: no repetition, no bound on plies.

    Returns the position that the next move is chosen from, nothing collected, and what has
    ended the round, if anything has. A pure function, as a search needs it.

    >>> from sim.presets import load_variant
    >>> from sim.referee.position import start_of
    >>> rules = load_variant("kalah").rules
    >>> step(rules, start_of(rules), 2)[0].to_move  # the fourth seed falls into the store
    0
    """
    sown = sow(rules, position, pit)
    if sown.max_laps:
        return sown.position, "max-laps"
    after = after_passes(rules, sown.position)
    return after, end_of_round(rules, after)
