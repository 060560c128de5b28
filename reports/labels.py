"""What tells the cells of a report apart, in few words."""

from ast import literal_eval
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import duckdb

from pipelines.cell_table import cell_of, column
from pipelines.cells import in_words
from reports.values import to_text
from sim.errors import UserError
from sim.presets import load_variant, preset_names
from sim.rules import Value

IDENTITY = ("cell", "variant", "pits", "seeds", "agent0", "agent1")
"""The columns with which every query names a cell, and for which tables have a label."""

SAID = (*IDENTITY, "opening_plies")
"""The columns that a label says whether cells differ in them or not."""

SEATS = ("agents", "opening_plies")
BOARD = ("board.pits", "board.seeds", "board.layout")
KINDS = ("capture.kind", "match.kind")
"""The keys that decide which others count."""


class Labels:
    """Labels of a connection's cells: `kalah 6×4`, below it what else differs.

    That is the agents and how games begin, unless that is the same everywhere (then `everywhere`
    says it), and the rule keys in which cells of one variant on one board differ, from each other
    or from the preset of that name.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        cursor = connection.execute("SELECT * EXCLUDE (n_games) FROM cells")
        names = [column[0] for column in cursor.description or ()]
        cells = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        self.everywhere, said = _everywhere(cells)
        boards = defaultdict(list)
        for cell in cells:
            boards[_board(cell)].append(cell)
        self._lines = {
            cell["cell"]: [
                board,
                *filter(None, [_seats(cell, said)]),
                *(f"{key} {to_text(cell[key]) or 'none'}" for key in keys),
            ]
            for board, group in boards.items()
            for keys in [_differing(group)]
            for cell in group
        }

    def lines(self, cell: str) -> list[str]:
        """Return a cell's label, line by line."""
        return self._lines[cell]


def _board(cell: dict[str, Any]) -> str:
    seeds = "layout" if cell["seeds"] is None else cell["seeds"]
    return f"{cell['variant']} {cell['pits']}×{seeds}"


def _everywhere(cells: list[dict[str, Any]]) -> tuple[str, set[str]]:
    """Return in words who plays and how games begin, as far as that is the same in all cells, and
    the columns of it that are."""
    seats = {(cell["agent0"], cell["agent1"]) for cell in cells}
    openings = {cell["opening_plies"] for cell in cells}
    same = {"agents": len(seats) == 1, "opening_plies": len(openings) == 1}
    said = {name for name in SEATS if same[name]}
    words = _seats(cells[0], set(SEATS) - said) if cells else ""
    return f"players: {words}" if same["agents"] else words, said


def _seats(cell: dict[str, Any], but: set[str]) -> str:
    """Say of a cell who plays and how games begin, but for what is said elsewhere."""
    agents = "" if "agents" in but else f"{cell['agent0']} – {cell['agent1']}"
    opening = "" if "opening_plies" in but else in_words(cell["opening_plies"])
    return agents + opening if agents else opening.removeprefix(", ")


def _changed(cell: dict[str, Any]) -> set[str]:
    """Return the rule keys in which a cell differs from the preset whose name it bears."""
    if cell["variant"] not in preset_names():
        return set()
    meaning = cell_of(cell).rules.meaning()
    board = {name: meaning[name] for name in BOARD if name in meaning}
    kinds = {name: meaning[name] for name in KINDS if name in meaning}
    plain = _meaning(cell["variant"], repr(board))
    try:
        # Of the keys that count for such captures or matches alone, those that were changed too.
        alike = _meaning(cell["variant"], repr(board | kinds))
    except UserError:
        alike = plain
    changed = {name for name, kind in kinds.items() if plain.get(name) != kind}
    changed |= {name for name in alike | meaning if alike.get(name) != meaning.get(name)}
    return {column(name) for name in changed}


@lru_cache
def _meaning(preset: str, keys: str) -> dict[str, Value]:
    """Return what a preset means with other keys, which are given as their `repr`."""
    return load_variant(preset, literal_eval(keys)).rules.meaning()


def _differing(cells: Sequence[dict[str, Any]]) -> list[str]:
    """Return the rule keys in which cells on one board differ, or one is not as its preset is."""
    changed = set().union(*map(_changed, cells))
    return [
        key
        for key in cells[0]
        if key in changed or (key not in SAID and len({to_text(cell[key]) for cell in cells}) > 1)
    ]
