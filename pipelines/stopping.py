"""Stopping by precision: when a cell's interval is narrow enough, and after which games one looks.

A cell is judged after fixed numbers of games alone, in the order of games, by a confidence
sequence. So neither timing nor the number of workers decides how many games it has.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim.errors import UserError, brief, did_you_mean, shown

_STEPS = (100, 125, 160, 200, 250, 320, 400, 500, 640, 800)
LOOKS = tuple(step * 10**power for power in range(11) for step in _STEPS)
"""The numbers of games after which a cell may be judged, whatever the plan, so that a plan may
change: each about a quarter more than the one before (the preferred numbers of ISO 3, R10)."""

NARROWEST = 1e-6
"""A half-width below it takes more games than a plan may have."""

_ENTRIES = ("half_width", "margin_half_width", "min_games", "max_games", "total_games")


@dataclass(frozen=True)
class Stop:
    """When cells stop, as a plan's `[stop]` says.

    A cell stops at a look after `least` games or more where half the width of the interval of the
    first player's share is no more than `half_width`, and that of the margin's no more than
    `margin_half_width` seeds, of those that are given; or at `most` games. With `budget`, a number
    of games for all cells, the widest go first.
    """

    half_width: float | None
    margin_half_width: float | None
    least: int
    most: int | None
    budget: int | None

    @property
    def aims(self) -> bool:
        """Whether a width is asked for at all."""
        return self.half_width is not None or self.margin_half_width is not None

    def next_look(self, games: int, nearly: float = 0) -> int:
        """Return after how many games a cell that has so many is judged next.

        That is the last look up to `nearly` games, but a later one than now in any case.
        """
        after = max(games, self.least - 1)
        place = max(bisect_right(LOOKS, after), bisect_right(LOOKS, nearly) - 1)
        look: int = LOOKS[min(place, len(LOOKS) - 1)]
        return look if self.most is None else min(look, self.most)


def parse_stop(table: Any, games: int | None, default: int, most: int, where: str) -> Stop | None:
    """Return what a plan's `[stop]` says, or None where it has none.

    `games` are the plan's, if it gives them, which are the least as `min_games` are, `default`
    if neither is given; no number may exceed `most`. Raises `UserError` naming the entry.
    """
    if table is None:
        return None
    if not isinstance(table, Mapping):
        raise UserError(f"{where}: stop must be a table: [stop] with half_width = 0.005")
    for entry in table:
        if entry not in _ENTRIES:
            raise UserError(
                f"{where}: there is no entry 'stop.{brief(entry)}'{did_you_mean(entry, _ENTRIES)};"
                f" [stop] has {', '.join(_ENTRIES)}"
            )
    half, margin = (
        _width(table[name], largest, f"{where}: stop.{name}") if name in table else None
        for name, largest in (("half_width", 0.5), ("margin_half_width", 1e6))
    )
    least, cap, budget = (
        _number(table[name], most, f"{where}: stop.{name}") if name in table else None
        for name in ("min_games", "max_games", "total_games")
    )
    if least is not None and games not in (None, least):
        raise UserError(
            f"{where}: games = {games:,} and stop.min_games = {least:,} both say how many games a"
            " cell has at least: leave one out"
        )
    stop = Stop(half, margin, least or games or min(default, cap or default), cap, budget)
    _check(stop, where)
    return stop


def table_of(stop: Stop) -> dict[str, Any]:
    """Return the table that `parse_stop` reads; the least games are the plan's `games`."""
    values = {
        "half_width": stop.half_width, "margin_half_width": stop.margin_half_width,
        "max_games": stop.most, "total_games": stop.budget,
    }  # fmt: skip
    return {name: value for name, value in values.items() if value is not None}


def check_budget(stop: Stop | None, cells: int, where: str) -> None:
    """Refuse games for all cells that do not take each of them to its first look."""
    if stop is None or stop.budget is None:
        return
    first = stop.next_look(0)
    if stop.budget < cells * first:
        raise UserError(
            f"{where}: stop.total_games = {stop.budget:,} is less than {cells:,} × {first:,}, the"
            f" cells times the games after which each is first judged: give {cells * first:,} at"
            " least, or fewer games"
        )


def _check(stop: Stop, where: str) -> None:
    if stop.half_width is None and stop.margin_half_width is None and stop.budget is None:
        raise UserError(
            f"{where}: [stop] does not say when to stop: give half_width (of the first player's"
            " share, such as 0.005), margin_half_width (in seeds) or total_games"
        )
    if stop.most is not None and stop.most < stop.least:
        raise UserError(
            f"{where}: stop.max_games = {stop.most:,} is less than the {stop.least:,} games that a"
            " cell has at least (games, or stop.min_games): give more, or fewer of those"
        )


def _width(value: Any, largest: float, where: str) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not NARROWEST <= value < largest:
        raise UserError(
            f"{where} = {shown(value)} is not allowed: give half an interval's width, from"
            f" {NARROWEST:f} to below {largest:g}"
        )
    return float(value)


def _number(value: Any, most: int, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise UserError(
            f"{where} = {shown(value)} is not allowed: give an integer from 1 to {most:,}"
        )
    return value
