"""What the queries and `mancalab sql` use: the intervals as functions, the view `summary`."""

from collections.abc import Callable, Sequence
from importlib import resources
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from duckdb.func import ARROW, SPECIAL

from pipelines.sequences import mean_sequence, share_sequence
from reports.stats import Floats, mean_interval, share_interval

_INTERVALS: dict[str, tuple[Callable[..., Sequence[Floats]], int]] = {
    "share": (share_interval, 3),
    "mean": (mean_interval, 3),
    "share_sequence": (share_sequence, 3),
    "mean_sequence": (mean_sequence, 4),
}
"""The functions by the names that they have in SQL, and how many arguments they take."""


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Add what the queries use to a connection of datasets: the intervals, the view `summary`."""
    register_intervals(connection)
    connection.execute((resources.files("reports") / "summary.sql").read_text("utf-8"))


def register_intervals(connection: duckdb.DuckDBPyConnection) -> None:
    """Add the intervals of `reports.stats` and `pipelines.sequences` to a connection.

    `share_low(wins, draws, losses)`, `share_high(…)`: the ends of `share_interval`;
    `mean_low(mean, deviation, games)`, `mean_high(…)`: those of `mean_interval`; the same of
    `share_sequence` and, with the span of the values, `mean_sequence`. Null where an argument is
    null and where the interval does not exist.
    """
    for name, (interval, arguments) in _INTERVALS.items():
        for end, suffix in enumerate(("low", "high")):
            connection.create_function(
                f"{name}_{suffix}",
                _one_end(interval, end, arguments),
                ["DOUBLE"] * arguments,
                "DOUBLE",
                type=ARROW,
                null_handling=SPECIAL,
            )


def _one_end(
    interval: Callable[..., Sequence[Floats]], end: int, arguments: int
) -> Callable[..., Any]:
    def function(given: Sequence[Any]) -> Any:
        columns = np.array([column.to_numpy(zero_copy_only=False) for column in given])
        known = ~np.isnan(columns).any(axis=0)
        ends = np.full(known.shape, np.nan)
        ends[known] = interval(*columns[:, known])[end]
        return pa.array(ends, mask=np.isnan(ends))

    if arguments == 3:  # DuckDB counts a function's parameters
        return lambda a, b, c: function((a, b, c))
    return lambda a, b, c, d: function((a, b, c, d))
