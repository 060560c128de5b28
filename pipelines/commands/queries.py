"""`mancalab queries`: the questions that `report --query` answers."""

import textwrap
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(queries)


def queries(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Print this query's SQL.")
    ] = None,
) -> None:
    """List the named queries, or print one: what it answers, its columns, its SQL."""
    from reports.library import load_query, query_names

    if name is not None:
        print(load_query(name).sql, end="")
        return
    names = query_names()
    width = max(map(len, names))
    for known in names:
        line = f"{known:<{width}}  {load_query(known).question}"
        print(textwrap.fill(line, 80, subsequent_indent=" " * (width + 2)))
    print("\n`mancalab report DIR --query NAME` runs one; `queries NAME` prints its SQL.")
