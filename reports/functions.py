"""What the queries and `mancalab sql` use: the intervals as functions, the view `summary`."""

from collections.abc import Callable, Sequence
from importlib import resources
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from duckdb.func import ARROW, SPECIAL

from reports.stats import Floats, mean_interval, share_interval


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Add what the queries use to a connection of datasets: the intervals, the view `summary`."""
    register_intervals(connection)
    connection.execute((resources.files("reports") / "summary.sql").read_text("utf-8"))


def register_intervals(connection: duckdb.DuckDBPyConnection) -> None:
    """Add the interval functions of `reports.stats` to a connection.

    `share_low(wins, draws, losses)`, `share_high(…)`: the ends of `share_interval`;
    `mean_low(mean, deviation, games)`, `mean_high(…)`: those of `mean_interval`. Null where an
    argument is null and where the interval does not exist.
    """
    for name, interval in {"share": share_interval, "mean": mean_interval}.items():
        for end, suffix in enumerate(("low", "high")):
            connection.create_function(
                f"{name}_{suffix}",
                _one_end(interval, end),
                ["DOUBLE", "DOUBLE", "DOUBLE"],
                "DOUBLE",
                type=ARROW,
                null_handling=SPECIAL,
            )


def _one_end(interval: Callable[..., Sequence[Floats]], end: int) -> Callable[..., Any]:
    def function(a: Any, b: Any, c: Any) -> Any:
        columns = np.array([column.to_numpy(zero_copy_only=False) for column in (a, b, c)])
        known = ~np.isnan(columns).any(axis=0)
        ends = np.full(known.shape, np.nan)
        ends[known] = interval(*columns[:, known])[end]
        return pa.array(ends, mask=np.isnan(ends))

    return function
