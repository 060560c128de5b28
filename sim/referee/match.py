"""Between the rounds of a sunog match: refilling, burnt pits, who begins, and the match's end."""

from typing import Literal

from sim.referee.ends import larger
from sim.referee.position import Position, Row
from sim.rules import Rules

MatchReason = Literal["burnt-out", "max-rounds"]


def filled_pits(rules: Rules, collected: Position, player: int) -> list[int]:
    """Return the pits that a player can fill completely from the own store, in filling order.

    `collected` is the position at the end of the round before, all seeds in the stores.
    """
    pits = list(range(rules.board.pits))
    if not rules.match.reopen:
        pits = [pit for pit in pits if pit not in collected.closed[player]]
    if rules.match.fill_from == "near":
        pits.reverse()
    return pits[: collected.stores[player] // rules.refill]


def end_of_match(rules: Rules, collected: Position, rounds: int) -> MatchReason | None:
    """Say whether a match is over after so many rounds; burnt out comes first."""
    if not all(filled_pits(rules, collected, player) for player in (0, 1)):
        return "burnt-out"
    return "max-rounds" if rounds >= rules.match.max_rounds else None


def winner_of_match(rules: Rules, collected: Position) -> int | None:
    """Return who has won: the one who could still fill a pit, else the larger store."""
    can_fill = [bool(filled_pits(rules, collected, player)) for player in (0, 1)]
    if can_fill[0] != can_fill[1]:
        return can_fill.index(True)
    return larger(collected.stores)


def refilled(rules: Rules, collected: Position, began: int, last_mover: int) -> Position:
    """Return the board of the next round.

    `began`: who was the first to move in the round before; `last_mover`: who made the match's
    last move. What is left of a store after filling stays in it and counts.
    """
    filled = [filled_pits(rules, collected, player) for player in (0, 1)]
    rows = [
        [rules.refill if pit in mine else 0 for pit in range(rules.board.pits)] for mine in filled
    ]
    burnt = _burnt(rules, filled[0]), _burnt(rules, filled[1])
    stores = [store - sum(row) for store, row in zip(collected.stores, rows, strict=True)]
    starter = _starter(rules, collected.stores, burnt, began, last_mover)
    return Position.of(rows, stores, starter, burnt)


def _burnt(rules: Rules, filled: list[int]) -> Row:
    return tuple(pit for pit in range(rules.board.pits) if pit not in filled)


def _starter(
    rules: Rules, stores: tuple[int, int], burnt: tuple[Row, Row], began: int, last_mover: int
) -> int:
    """Return who begins the coming round; `stores` before filling, so with the surplus."""
    richer = larger(stores)
    more_burnt = larger((len(burnt[0]), len(burnt[1])))
    match rules.match.starter:
        case "unburnt" if more_burnt is not None:
            return 1 - more_burnt
        case "loser" if richer is not None:
            return 1 - richer
        case "winner" if richer is not None:
            return richer
        case "last-mover":
            return last_mover
        case _:  # "alternate", and every tie
            return 1 - began
