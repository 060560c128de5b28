"""From a plan to a dataset: `connect` opens one for SQL."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


def connect(*folders: str) -> "duckdb.DuckDBPyConnection":
    """Open datasets as a DuckDB connection.

    Its views are `cells`, `games`, `rounds`, `moves` and `statistics`. `folders` are dataset
    folders as `mancalab run --out` writes them; the same game in several counts once. Raises
    `sim.errors.UserError` where a folder holds no dataset.
    """
    from pipelines.views import connect as open_views  # DuckDB loads only when it is needed

    return open_views(*folders)
