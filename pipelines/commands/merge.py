"""`mancalab merge`: joins datasets."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.messages import count
from pipelines.options import file_name


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(merge)


def merge(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR", parser=file_name, help="Datasets' folders.")
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR2", parser=file_name, help="The merged dataset's folder.")
    ],
) -> None:
    """Join datasets into one: each game once, nothing removed.

    Merging again changes nothing; a dataset that is in DIR2 already is kept and added to.
    """
    from pipelines.merge import merge as merge_datasets

    merged, added = merge_datasets(folders, out)
    news = f"{count(added, 'game')} came in" if added else "complete already, nothing to do"
    print(f"{out}: {news}: {count(merged.games, 'game')}, {count(merged.moves, 'move')}")
