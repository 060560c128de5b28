"""What the queries and `mancalab sql` use: statistics as functions, the view `summary`."""

from collections.abc import Callable, Sequence
from functools import partial
from importlib import resources
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from duckdb.func import ARROW, SPECIAL

from pipelines.sequences import mean_sequence, share_sequence
from pipelines.sql_types import sql_type
from reports.elo import elo_of, normal, superiority
from reports.library import load_query
from reports.ratings import Meeting, interval, rate
from reports.stats import (
    Z90,
    Floats,
    mean_interval,
    share_interval,
    share_surprise,
)

_INTERVALS: dict[str, tuple[Callable[..., Sequence[Floats]], int]] = {
    "share": (share_interval, 3),
    "share90": (partial(share_interval, z=Z90), 3),
    "mean": (mean_interval, 3),
    "share_sequence": (share_sequence, 3),
    "mean_sequence": (mean_sequence, 4),
}
"""Intervals by the names that they have in SQL, and how many arguments they take."""

_FIGURES: dict[str, tuple[Callable[..., Floats], int]] = {
    "elo": (elo_of, 1),
    "superiority": (superiority, 3),
    "share_surprise": (share_surprise, 4),
    "normal": (normal, 1),
}
"""Other figures in the same manner."""

NEAREST = "round(abs(first_player_share - 0.5), 12)"
"""The criterion of a ranking unless another one is given."""

NEAREST = "round(abs(first_player_share - 0.5), 12)"
"""The criterion of a ranking unless another one is given."""

_VIEWS = ("summary", "axes", "duels")
"""Views in `reports/views`, each of which may use those before."""

_MEETING = pa.struct(
    [
        ("first", pa.string()), ("second", pa.string()),
        ("wins", pa.int64()), ("draws", pa.int64()), ("losses", pa.int64()),
    ]
)  # fmt: skip
_RATING = pa.struct(
    [
        ("player", pa.string()), ("games", pa.int64()), ("share", pa.float64()),
        *((name, pa.float64()) for name in (
            "rating", "rating_low", "rating_high", "advantage", "advantage_low", "advantage_high",
            "draw_rate", "excess",
        )),
        ("freedom", pa.int64()), ("players_group", pa.int64()),
    ]
)  # fmt: skip


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Add what the queries use to a connection of datasets: functions and views."""
    register_figures(connection)
    for view in _VIEWS:
        sql = (resources.files("reports") / "views" / f"{view}.sql").read_text("utf-8")
        connection.execute(sql)
    connection.execute(f"CREATE VIEW balance AS {load_query('balance').sql}")
    set_criterion(connection, NEAREST)


def set_criterion(connection: duckdb.DuckDBPyConnection, expression: str) -> None:
    """Have the query `ranking` rank by an expression over the columns of the query `balance`."""
    connection.execute(
        "CREATE OR REPLACE VIEW criteria AS"
        f" SELECT cell, ({expression}\n)::DOUBLE AS criterion FROM balance"
    )


def register_figures(connection: duckdb.DuckDBPyConnection) -> None:
    """Add the figures of `reports.stats`, `reports.elo` and `pipelines.sequences` to a connection.

    `share_low(wins, draws, losses)`, `share_high(…)`: the ends of `share_interval`, `share90_low`
    and `share90_high` those of the one of 90 %; `mean_low(mean, deviation, games)`,
    `mean_high(…)`: those of `mean_interval`; the same of `share_sequence` and, with the span of the
    values, `mean_sequence`. `elo(share)`, `share_surprise(wins, draws, losses, share)`,
    `superiority(mean, deviation, units)`, `normal(value)`. Null where an argument is null and where
    a figure does not exist, or is infinite. `ratings(meetings)` makes of a list of meetings, whose
    players have names, a list of ratings; `work_of(agent)` is `Agent.weight`.
    """
    for name, (both, arguments) in _INTERVALS.items():
        for end, suffix in enumerate(("low", "high")):
            _add(connection, f"{name}_{suffix}", _one_end(both, end), arguments)
    for name, (figure, arguments) in _FIGURES.items():
        _add(connection, name, figure, arguments)
    lists = sql_type(pa.list_(_MEETING)), sql_type(pa.list_(_RATING))
    connection.create_function("ratings", _ratings, [lists[0]], lists[1], type=ARROW)
    connection.create_function("work_of", _work_of, ["VARCHAR"], "DOUBLE")


def _work_of(agent: str) -> float:
    from sim.agents import parse_agent

    return parse_agent(agent).weight


def _ratings(lists: Any) -> Any:
    return pa.array([_rated(meetings) for meetings in lists.to_pylist()], pa.list_(_RATING))


def _rated(named: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return ratings of players by their names; see `reports.ratings.rate`."""
    names = sorted({m[seat] for m in named for seat in ("first", "second")})
    counts = [(m["wins"], m["draws"], m["losses"]) for m in named]
    meetings = [
        Meeting(names.index(m["first"]), names.index(m["second"]), *count)
        for m, count in zip(named, counts, strict=True)
    ]
    fit = rate(len(names), meetings)
    low, high = interval(fit.elo, np.where(fit.sure, fit.elo_error, np.nan))
    ends = interval(np.array([fit.advantage]), np.array([fit.advantage_error]))
    shared = {
        "advantage": fit.advantage, "advantage_low": ends[0][0], "advantage_high": ends[1][0],
        "draw_rate": fit.draws, "excess": fit.excess, "freedom": fit.freedom,
    }  # fmt: skip
    rows = []
    for place, name in enumerate(names):
        others = [m for m in meetings if m.first != m.second and place in (m.first, m.second)]
        games = sum(m.games for m in others)
        points = sum((m.wins if m.first == place else m.losses) + m.draws / 2 for m in others)
        row = {
            "player": name, "games": games, "share": points / games if games else None,
            "rating": fit.elo[place], "rating_low": low[place], "rating_high": high[place],
            "players_group": int(fit.group[place]),
        }  # fmt: skip
        rows.append({key: _known(value) for key, value in (row | shared).items()})
    return rows


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _one_end(both: Callable[..., Sequence[Floats]], end: int) -> Callable[..., Floats]:
    return lambda *columns: both(*columns)[end]


def _add(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    figure: Callable[..., Floats],
    arguments: int,
) -> None:
    def function(given: Sequence[Any]) -> Any:
        columns = np.array([column.to_numpy(zero_copy_only=False) for column in given])
        known = ~np.isnan(columns).any(axis=0)
        values = np.full(known.shape, np.nan)
        values[known] = figure(*columns[:, known])
        return pa.array(values, mask=~np.isfinite(values))

    by_count: dict[int, Callable[..., Any]] = {  # DuckDB counts a function's parameters
        1: lambda a: function((a,)),
        2: lambda a, b: function((a, b)),
        3: lambda a, b, c: function((a, b, c)),
        4: lambda a, b, c, d: function((a, b, c, d)),
    }
    connection.create_function(
        name, by_count[arguments], ["DOUBLE"] * arguments, "DOUBLE", type=ARROW,
        null_handling=SPECIAL,
    )  # fmt: skip
