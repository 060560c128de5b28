"""How much is kept of a game: the levels, and how a plan's `[output]` names them."""

from collections.abc import Mapping
from typing import Any, Literal, cast

from sim.errors import UserError, brief, did_you_mean, shown

Log = Literal["moves+search", "moves", "games", "none"]
SEARCH: Log = "moves+search"
LOGS: tuple[Log, ...] = ("moves", "games", "none")
"""What is kept of a game: its row and its moves, its row, or its part in the statistics."""
LEVELS: tuple[Log, ...] = (SEARCH, *LOGS)
"""All levels, the one that keeps most first: with moves, what their players noted too."""
WITH_MOVES = (SEARCH, "moves")

_ENTRIES = ("log", "search")


def parse_output(output: Any, where: str) -> Log:
    """Return the level that a plan's `[output]` asks for. Raises `UserError` naming `where`."""
    if not isinstance(output, Mapping):
        raise UserError(f"{where}: output must be a table: [output] with log = 'moves'")
    for entry in output:
        if entry not in _ENTRIES:
            raise UserError(
                f"{where}: there is no entry 'output.{brief(entry)}'"
                f"{did_you_mean(entry, _ENTRIES)}; [output] has {', '.join(_ENTRIES)}"
            )
    log, search = output.get("log", LOGS[0]), output.get("search", False)
    if log not in LOGS:
        raise UserError(
            f"{where}: output.log = {shown(log)} is not allowed: give {', '.join(LOGS)}"
        )
    if not isinstance(search, bool):
        raise UserError(
            f"{where}: output.search = {shown(search)} is not allowed: give true or false"
        )
    if search and log != "moves":
        raise UserError(
            f"{where}: searches are logged beside moves, which log = '{log}' leaves out: give"
            " log = 'moves', or leave search (--log-search) out"
        )
    return SEARCH if search else cast("Log", log)


def output_of(log: str, *, search: bool) -> dict[str, Any]:
    """Return a plan's `[output]`, as `parse_output` reads it."""
    return {"log": log, "search": True} if search else {"log": log}
