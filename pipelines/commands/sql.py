"""`mancalab sql`: DuckDB over the views of datasets, one statement or a prompt."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from pipelines.options import file_name


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(sql)


def sql(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", parser=file_name, help="Datasets, merged.")
    ],
    statement: Annotated[
        str | None,
        typer.Option(
            "--command",
            "-c",
            metavar="SQL",
            help="Run this; without it, a prompt opens (or a script is read from a pipe).",
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="table, md, csv, json or latex.")
    ] = "table",
) -> None:
    """Query the views cells, games, rounds, moves and statistics with DuckDB.

    The functions share_low(wins, draws, losses), share_high(…), mean_low(mean, deviation, n) and
    mean_high(…) give the report's intervals.
    """
    from reports.render import check_format
    from reports.shell import Shell

    check_format(form)
    shell = Shell(folders, form)
    if statement is not None:
        shell.run(statement)
    elif sys.stdin.isatty():
        shell.prompt()
    else:
        shell.script(sys.stdin.read())
