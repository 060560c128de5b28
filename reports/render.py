"""Writes the rows of a query as a table, Markdown, LaTeX, CSV or JSON."""

import csv
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO

from reports.tables import WIDTH, Table
from reports.values import is_number, to_csv, to_json, to_text
from sim.errors import UserError, did_you_mean

FORMATS = ("table", "md", "csv", "json", "latex")
TABLE_ROWS = 100  # that a terminal's table shows at most
FEW = 8  # rows that may stand side by side

Row = Sequence[Any]


def check_format(name: str) -> None:
    """Raise `UserError` for an unknown format."""
    if name not in FORMATS:
        raise UserError(
            f"there is no format '{name}'{did_you_mean(name, FORMATS)}: give {', '.join(FORMATS)}"
        )


def write(
    columns: Sequence[str], rows: Iterable[Row], form: str, out: TextIO, width: int = WIDTH
) -> None:
    """Write rows in one of `FORMATS`; CSV and JSON are complete, and written as the rows come."""
    if form == "csv":
        write_csv(columns, rows, out)
    elif form == "json":
        write_json(columns, rows, out)
    elif form == "md":
        out.write(table_of(columns, list(rows)).markdown() + "\n")
    elif form == "latex":
        out.write(table_of(columns, list(rows)).latex() + "\n")
    else:
        out.write(short_table(columns, iter(rows), width) + "\n")


def write_csv(columns: Sequence[str], rows: Iterable[Row], out: TextIO) -> None:
    """Write rows as CSV under their names."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([to_csv(value) for value in row] for row in rows)


def write_json(columns: Sequence[str], rows: Iterable[Row], out: TextIO) -> None:
    """Write rows as an array of objects, one a line."""
    names = _distinct(columns)
    start = "["
    for row in rows:
        values = dict(zip(names, map(to_json, row), strict=True))
        out.write(start + "\n" + json.dumps(values, ensure_ascii=False, allow_nan=False))
        start = ","
    out.write("[]\n" if start == "[" else "\n]\n")


def table_of(columns: Sequence[str], rows: Sequence[Row]) -> Table:
    """Return rows as a table of text, numbers to the right."""
    right = [
        any(is_number(row[i]) for row in rows)
        and all(row[i] is None or is_number(row[i]) for row in rows)
        for i in range(len(columns))
    ]
    return Table(columns, [[to_text(value) for value in row] for row in rows], right)


def short_table(columns: Sequence[str], rows: Iterator[Row], width: int) -> str:
    """Return the first rows as a table for a terminal.

    A few rows of many columns stand side by side, if they find room so.
    """
    first = list(itertools.islice(rows, TABLE_ROWS))
    table = table_of(columns, first)
    if 0 < len(first) <= FEW and len(table.fitted(width)) < len(columns):
        values = zip(*table.rows, strict=True)
        turned = Table(
            ["column", *(f"row {number}" for number in range(1, len(first) + 1))],
            [[name, *texts] for name, texts in zip(columns, values, strict=True)],
            [False] * (len(first) + 1),
            stiff=1,
        )
        if len(turned.fitted(width)) == len(turned.headings):
            return turned.terminal(width)
    if next(rows, None) is not None:
        table.lines.append(f"The first {TABLE_ROWS} rows; `--format csv` or `json` writes all.")
    return table.terminal(width)


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names of which none occurs twice, as an object's must: `n`, `n_2`, …"""
    distinct: list[str] = []
    for name in names:
        number, candidate = 1, name
        while candidate in distinct:
            number += 1
            candidate = f"{name}_{number}"
        distinct.append(candidate)
    return distinct
