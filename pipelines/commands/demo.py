"""`mancalab demo`: the first look."""

import tempfile
from pathlib import Path

import typer

from pipelines.messages import tell

GAMES = 4_000  # a preset: enough to tell the presets apart, and played in a second or two


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo() -> None:
    """Play every preset a little, and print who wins and how long the games are."""
    from pipelines import sweep
    from pipelines.executors import Threads
    from pipelines.grid import DEFAULT_AGENTS
    from pipelines.plan import document_of, parse_plan
    from reports.report import render
    from sim.presets import preset_names

    names = preset_names()
    document = document_of(names, {}, [DEFAULT_AGENTS], seed=0, games=GAMES, log="moves")
    folder = Path(tempfile.mkdtemp(prefix="mancalab-demo-"))
    tell(f"playing {GAMES:,} games of each preset, at random; the kernel may compile first")
    outcome = sweep.run(parse_plan(document, "demo", Path()), folder, Threads(), tell)
    print(f"{outcome.played:,} games, {outcome.dataset.moves:,} moves in {outcome.seconds:.1f} s\n")
    print("First-player advantage\n")
    print(render([folder], query="advantage").rstrip())
    print("\nGame length\n")
    print(render([folder], query="lengths").rstrip())
    print(NEXT.format(folder=folder))


NEXT = """
The games are in {folder}. What to try next:

  mancalab sql {folder} -c "SELECT reason, count(*) FROM games GROUP BY ALL"
  mancalab variants show sungka
  mancalab run kalah --pits 4..8 --seeds 3..6 --games 100_000 --out runs/kalah
  mancalab report runs/kalah"""
