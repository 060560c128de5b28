"""What SQL asks for that was not logged."""

import re
from collections.abc import Iterable
from pathlib import Path

from pipelines.messages import lacking_moves, lacking_rows, lacking_searches
from pipelines.views import open_datasets
from sim.errors import UserError

_MOVES = re.compile(r"\b(moves|move_list)\b", re.IGNORECASE)
_ROWS = re.compile(r'\b(from|join)\s+"?(games|rounds|moves)\b', re.IGNORECASE)
_SEARCHES = re.compile(r"\bsearch_(worth|nodes)\b", re.IGNORECASE)
_COMMENT = re.compile(r"--[^\n]*")


def lacking(folders: Iterable[str | Path], sql: str) -> list[str]:
    """Say what SQL misses that asks for moves or rows of games which were logged without."""
    text = _COMMENT.sub("", sql)
    datasets = open_datasets(folders) if _MOVES.search(text) or _ROWS.search(text) else []
    without_searches, without_moves, without_rows = (
        sum(dataset.logged(log) for dataset in datasets) for log in ("moves", "games", "none")
    )
    notes = []
    if without_searches and _SEARCHES.search(text):
        notes.append(lacking_searches(without_searches))
    if without_moves and _MOVES.search(text):
        notes.append(f"{lacking_moves(without_moves)}, their `move_list` is null")
    if without_rows:
        notes.append(lacking_rows(without_rows))
    return notes


def check_rows(folders: Iterable[str | Path], query: str, sql: str) -> None:
    """Raise `UserError` where a query reads rows of games and there is none."""
    if _ROWS.search(_COMMENT.sub("", sql)):
        datasets = open_datasets(folders)
        games = sum(dataset.games for dataset in datasets)
        if games and games == sum(dataset.logged("none") for dataset in datasets):
            raise UserError(f"--query {query} reads rows: {lacking_rows(games)}")
