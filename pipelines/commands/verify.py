"""`mancalab verify`: checks every checksum and every stored figure of a dataset."""

from pathlib import Path
from typing import Annotated

import typer

SHOWN = 50


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(verify)


def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A dataset's folder.")],
) -> None:
    """Replay every logged game of a dataset, and check every stored figure and checksum.

    Games that were logged without moves are played anew. The referee plays a sample as well.
    Leaves with 1 where something is wrong, and says in which file and game.
    """
    from pipelines import verify as verifying
    from pipelines.executors import Threads

    report = verifying.verify(folder, Threads())
    for fault in report.faults[:SHOWN]:
        print(f"FAULT {fault}")
    if len(report.faults) > SHOWN:
        print(f"FAULT and {len(report.faults) - SHOWN:,} more")
    anew = f", {report.anew:,} games without moves played anew" if report.anew else ""
    print(
        f"{folder}: {report.shards:,} shards, {report.games:,} games; {report.moves:,} moves"
        f" replayed{anew}, {report.refereed:,} games of {report.refereed_cells:,} cells by the"
        " referee as well"
    )
    if report.missing:
        print(f"unfinished: {report.missing:,} games of its plan are still to be played")
    if report.unlisted:
        print(
            f"{report.unlisted:,} shards are not in the manifest yet, which the plan's next run"
            " enters them in: their checksums are not known"
        )
    if report.faults:
        print(f"{len(report.faults):,} faults")
        raise typer.Exit(1)
    print("all is as it should be")
