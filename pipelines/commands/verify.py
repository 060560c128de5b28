"""`mancalab verify`: checks every checksum and every stored figure of a dataset."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.messages import count
from pipelines.options import file_name

SHOWN = 50


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(verify)


def verify(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", parser=file_name, help="A dataset's folder.")
    ],
) -> None:
    """Replay every logged game of a dataset, and check every stored figure and checksum.

    Games that were logged without moves are played anew, of those without rows a part. The
    referee plays a sample as well.
    Leaves with 1 where something is wrong, and says in which file and game.
    """
    from pipelines import verify as verifying
    from pipelines.executors import Threads

    report = verifying.verify(folder, Threads())
    for fault in report.faults[:SHOWN]:
        print(f"FAULT {fault}")
    if len(report.faults) > SHOWN:
        print(f"FAULT and {len(report.faults) - SHOWN:,} more")
    print(f"{folder}: {count(report.shards, 'shard')}, {count(report.games, 'game')}")
    if report.moves:
        print(f"{count(report.moves, 'move')} replayed")
    if report.bare:
        print(f"{count(report.bare, 'game')} of which only statistics are kept (--log none)")
    if report.anew:
        print(f"{count(report.anew, 'game')} without moves played anew")
    if report.refereed:
        cells = count(report.refereed_cells, "cell")
        print(f"{count(report.refereed, 'game')} of {cells} by the referee as well")
    if report.missing:
        print(f"unfinished: {count(report.missing, 'game')} of its plan still to be played")
    if report.unlisted:
        print(
            f"{count(report.unlisted, 'shard')} not in the manifest yet, so without a checksum;"
            " the next run enters them"
        )
    if report.faults:
        print(count(len(report.faults), "fault"))
        raise typer.Exit(1)
    print("all is as it should be")
