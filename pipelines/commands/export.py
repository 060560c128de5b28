"""`mancalab export`: a dataset's moves as plain Parquet."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.messages import count, tell
from pipelines.options import file_name
from sim.errors import UserError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(export)


def export(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", parser=file_name, help="A dataset's folder.")
    ],
    out: Annotated[
        Path,
        typer.Option(metavar="DIR2", parser=file_name, help="The folder for the Parquet files."),
    ],
    *,
    moves: Annotated[bool, typer.Option("--moves", help="The wide table, a row a move.")] = False,
) -> None:
    """Write what a dataset derives as plain Parquet files, for tools that read only these."""
    from pipelines.executors import Threads
    from pipelines.export import export_moves

    if not moves:
        raise UserError("nothing to export: say --moves for the table with a row a move")
    done = export_moves(folder, out, Threads())
    if done.bare:
        tell(f"of {done.bare:,} games no moves were kept (--log games, none): they are not in it")
    news = (
        f"{count(done.files, 'file')} written" if done.files else "complete already, nothing to do"
    )
    print(f"{out}: {news}: {count(done.moves, 'move')}")
