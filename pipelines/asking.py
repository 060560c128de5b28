"""Asks DuckDB, so that an interruption stops it and an error is a line for the user."""

from collections.abc import Callable
from concurrent.futures import wait
from typing import TypeVar

import duckdb

from sim.aside import begun
from sim.errors import UserError

VIEWS = ("cells", "games", "rounds", "moves", "statistics")
PAUSE = 0.1  # seconds
T = TypeVar("T")


def ask(connection: duckdb.DuckDBPyConnection, work: Callable[[], T], place: str) -> T:
    """Return what `work`, which asks a connection, returns.

    What DuckDB has against it is raised as a `UserError`, one line that begins with `place`.
    The work has a thread of its own, for DuckDB heeds Ctrl-C only now and then: this thread
    waits for both, and has DuckDB stop before it raises `KeyboardInterrupt`.
    """
    answer = begun(work, daemon=False)
    try:
        while not answer.done():
            wait([answer], PAUSE)  # in pieces, between which this thread sees an interruption
    except KeyboardInterrupt:
        while not answer.done():
            connection.interrupt()
            wait([answer], PAUSE)
        raise
    try:
        return answer.result()
    except duckdb.Error as error:
        raise UserError(f"{place}: {condensed(error)}") from None


def condensed(error: duckdb.Error) -> str:
    """Return what DuckDB says in one line: its first, and what it proposes instead."""
    first, *others = str(error).splitlines()
    if first.startswith("Traceback"):  # raised where DuckDB reads a remote file
        said = [line for line in others if line[:1].strip() and "Error: " in line]
        first = said[-1].partition("Error: ")[2] if said else first
    proposals = [line for line in others if line.startswith(("Candidate bindings", "Did you mean"))]
    _, ours, message = first.partition("UserError: ")  # raised in a function of ours
    if ours:
        return message
    if isinstance(error, duckdb.CatalogException) and first.startswith("Catalog Error: Table"):
        return f"{first.partition('!')[0]}: the views are {', '.join(VIEWS)}"
    return " ".join([first, *proposals])
