"""`mancalab report`: the standard report, or a named query, over datasets."""

import os
from pathlib import Path
from typing import Annotated

import typer

from pipelines.commands.queries import queries
from pipelines.messages import tell
from pipelines.options import file_name
from pipelines.places import is_remote
from sim.errors import UserError

WORDS = {"list": 0, "show": 1}
"""What may stand in place of datasets, and how many words follow it."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(report)


def report(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", parser=file_name, help="Datasets, merged.")
    ],
    query: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A named query in place of the standard report."),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(metavar="SQL", help='Which cells, such as "pits = 7 AND seeds > 3".'),
    ] = None,
    within: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=0.5,
            metavar="X",
            help="How far from one half a share is fair, for --query fairness. [default: 0.02]",
        ),
    ] = None,
    rank_by: Annotated[
        str | None,
        typer.Option(
            metavar="SQL",
            help="What --query ranking ranks by, the smallest first, such as"
            ' "abs(margin_mean) + 2 * draws / games".',
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="table, md, csv, json or latex.")
    ] = "table",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", parser=file_name, help="Write to a file.")
    ] = None,
) -> None:
    """Say how fair each variant is, how long its games are, and with which certainty.

    `report list` lists the queries and `report show NAME` prints one, as `queries` does, unless
    there is a folder of that name.
    """
    word, *names = map(str, folders)
    if word in WORDS and len(names) == WORDS[word] and not Path(word).exists():
        queries(*names)
        return
    if out is not None:
        _check_out(out)
    from pipelines.lacking import check_rows, lacking
    from reports.library import load_query
    from reports.report import STANDARD, render

    sql = load_query(query or STANDARD).sql
    check_rows(folders, query or STANDARD, sql)
    text = render(folders, query, where, form, within=within, rank_by=rank_by)
    for note in lacking(folders, sql):
        tell(note)
    if out is None:
        print(text, end="")
    else:
        from pipelines.files import write_result

        write_result(out, text)


def _check_out(out: Path) -> None:
    if is_remote(out):
        return
    if out.is_dir():
        raise UserError(f"--out {out}: a folder: give a file's name")
    folder = (Path(os.path.realpath(out)) if out.is_symlink() else out).parent
    if not (out.exists() or folder.is_dir()):
        raise UserError(f"--out {out}: there is no folder {folder}: make it first")
