"""A report over datasets: a named query, its cells labelled, in one of four formats."""

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from pipelines.asking import ask
from pipelines.manifest import versions
from pipelines.views import check_damage, connect, open_datasets
from reports import balance, functions
from reports.balance import number
from reports.labels import IDENTITY, Labels
from reports.library import Query, load_query
from reports.render import Row, check_format, write_csv
from reports.tables import Table
from reports.values import is_number, to_json, to_text
from sim.errors import UserError

STANDARD = "balance"
DISTINCT, EXACT = "distinct_games", "distinct_exact"  # a number, and whether it is no estimate
SEQUENCES = (
    "Where cells stop by precision ([stop]) intervals are confidence sequences, which hold all the"
    " same."
)
MATCHES = "matches"  # answered beside the standard report, where there are any


def render(
    folders: Sequence[str | Path],
    query: str | None = None,
    where: str | None = None,
    format: str = "table",  # noqa: A002
    *,
    within: float | None = None,
    rank_by: str | None = None,
) -> str:
    """Return a report over datasets, which are merged.

    `query` names one of `reports.library`, the standard report if not given. `where` is an SQL
    expression over the view `cells` that chooses cells. `format` is one of
    `reports.render.FORMATS`: a table of at most 80 columns, Markdown, LaTeX, CSV or JSON. JSON is
    an object, `{"cells": […]}` for the standard report and `{"query": …, "rows": […]}` for others.
    `within` is the bound of the query `fairness`, and `rank_by` the criterion of the query
    `ranking`, in SQL over the columns of `balance`. Raises `UserError` for what the user gave
    wrong.
    """
    check_format(format)
    chosen = load_query(query or STANDARD)
    connection = connect(*folders, where=where)
    functions.register(connection)
    if within is not None:
        connection.execute("SET VARIABLE within = $1", [within])
    if rank_by is not None:
        place = f'--rank-by "{rank_by}"'
        ask(connection, lambda: functions.set_criterion(connection, rank_by), place)
    labels = Labels(connection)
    try:
        columns, rows = _answer(connection, chosen)
        matches = _matches(connection) if chosen.name == STANDARD else None
    except UserError:
        check_damage(open_datasets(folders))
        raise
    if format == "csv":
        return _csv(*_labelled(columns, rows, labels))
    if format == "json":
        parts = {chosen.name: (columns, rows)} | ({MATCHES: matches} if matches else {})
        return _json({name: _labelled(*answer, labels) for name, answer in parts.items()})
    folded = format == "table"
    if matches is not None:
        tables = balance.tables(_objects(columns, rows), labels, folded=folded)
        if played := _objects(*matches):
            tables += balance.match_tables(played, labels, folded=folded)
    else:
        tables = [_table(chosen.question, columns, rows, labels, format)]
        if _stops(connection) and any(column.endswith("_low") for column in columns):
            tables[0].lines.append(SEQUENCES)
    if format == "md":
        return "\n\n".join(table.markdown() for table in tables) + "\n"
    if format == "latex":
        return "\n\n".join([_provenance(folders), *(table.latex() for table in tables)]) + "\n"
    fitting = [part for table in tables for part in table.split()]
    return "\n\n".join(part.terminal(fold=True) for part in fitting) + "\n"


def _provenance(folders: Sequence[str | Path]) -> str:
    """Return a comment that says where LaTeX's figures come from."""
    names = ", ".join(" ".join(str(folder).split()) for folder in folders)
    return f"% mancalab {versions()['mancalab']}, datasets: {names}"


def _stops(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether results decided how many games there are of any cell."""
    return bool(connection.execute("FROM cells WHERE stopping LIMIT 1").fetchall())


def _matches(connection: duckdb.DuckDBPyConnection) -> tuple[list[str], list[Row]]:
    """Answer the query about matches, if any are played."""
    found = connection.execute("FROM cells WHERE match_kind <> 'single' LIMIT 1").fetchall()
    return _answer(connection, load_query(MATCHES)) if found else ([], [])


def _answer(connection: duckdb.DuckDBPyConnection, query: Query) -> tuple[list[str], list[Row]]:
    rows = ask(
        connection, lambda: connection.execute(query.sql).fetchall(), f"query '{query.name}'"
    )
    return [column[0] for column in connection.description or ()], [*rows]


def _objects(columns: Sequence[str], rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _labelled(
    columns: Sequence[str], rows: Sequence[Row], labels: Labels
) -> tuple[list[str], list[Row]]:
    """Add each row's label: by the rules' name alone, cells of a sweep are not told apart.

    Rows that are of no cell have none.
    """
    if "cell" not in columns:
        return [*columns], [*rows]
    cell = columns.index("cell")
    return [*columns, "label"], [[*row, ", ".join(labels.lines(row[cell]))] for row in rows]


def _csv(columns: Sequence[str], rows: Sequence[Row]) -> str:
    out = io.StringIO()
    write_csv(columns, rows, out)
    return out.getvalue()


def _json(answers: Mapping[str, tuple[Sequence[str], Sequence[Row]]]) -> str:
    """Return a query's answer, or the standard report's two: `cells`, and `matches` if any."""
    objects = {
        name: [dict(zip(columns, map(to_json, row), strict=True)) for row in rows]
        for name, (columns, rows) in answers.items()
    }
    whole: dict[str, Any]
    if STANDARD in objects:
        whole = {"cells": objects[STANDARD]}
        if objects[MATCHES]:
            whole[MATCHES] = objects[MATCHES]
    else:
        [(name, rows)] = objects.items()
        whole = {"query": name, "rows": rows}
    return json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _table(
    title: str, columns: Sequence[str], rows: Sequence[Row], labels: Labels, form: str
) -> Table:
    """Return a query's rows as a table, a label in place of the columns that name the cell."""
    terminal = form == "table"
    headings: list[str] = []
    texts: list[list[str]] = []
    right: list[bool] = []
    of_cells = "cell" in columns
    if of_cells:
        cells = [row[columns.index("cell")] for row in rows]
        names = [("\n" if terminal else ", ").join(labels.lines(cell)) for cell in cells]
        if terminal:  # one label for all rows of a cell
            names = [n if i == 0 or cells[i - 1] != cells[i] else "" for i, n in enumerate(names)]
        headings, texts, right = [""], [names], [False]
    for i, column in enumerate(columns):
        if column != EXACT and not (of_cells and column in IDENTITY):
            values = [row[i] for row in rows]
            headings.append(column.replace("_", "\n" if terminal else " "))
            texts.append(_texts(values))
            if column == DISTINCT and EXACT in columns:
                exact = [row[columns.index(EXACT)] for row in rows]
                texts[-1] = [
                    f"{'' if e else '~'}{t}" for t, e in zip(texts[-1], exact, strict=True)
                ]
            right.append(all(value is None or is_number(value) for value in values))
    table = Table(headings, list(zip(*texts, strict=True)), right, title)
    if labels.everywhere and of_cells:
        table.lines.append(f"{labels.everywhere[0].upper()}{labels.everywhere[1:]}.")
    return table


def _texts(values: Sequence[Any]) -> list[str]:
    """Return a column's figures, all with the digits that the largest needs."""
    floats = [abs(value) for value in values if isinstance(value, float)]
    most = max(floats, default=0)
    digits = 4 if most <= 1 else 2 if most < 100 else 1
    return [
        number(value, digits) if value is None or isinstance(value, float)
        else f"{value:,}" if is_number(value)
        else to_text(value)
        for value in values
    ]  # fmt: skip
