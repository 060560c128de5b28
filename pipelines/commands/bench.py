"""`mancalab bench`: this machine's rates."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pipelines.messages import tell
from sim.errors import UserError

if TYPE_CHECKING:
    from pipelines.bench import Duel
    from reports.tables import Table

LONGEST_NAME = 60  # of a processor, so that its line fits a terminal
DEFAULT = ("kalah", "oware", "owari", "sungka", "sunka")
SEARCHED, SEARCHES = ("kalah", "oware", "sungka"), "mcts:1000 minimax:8"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(bench)


def bench(
    variants: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="VARIANT", help=f"Presets' names or TOML files. [default: {' '.join(DEFAULT)}]"
        ),
    ] = None,
    *,
    seconds: Annotated[
        float,
        typer.Option(
            metavar="S",
            help="About how long to measure, all in all, after what is done once; each rate is"
            " measured once at least.",
        ),
    ] = 30,
    cores: Annotated[
        int | None,
        typer.Option(
            min=1, max=1024, metavar="N",
            help="Threads that play side by side. [default: one a processor]",
        ),
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option(
            "--agent", metavar="A",
            help=f"A player whose choices are measured; repeat for more. [default: {SEARCHES}]",
        ),
    ] = None,
    against: Annotated[
        Literal["openspiel"] | None,
        typer.Option(help="Also play another program's games side by side, on one core."),
    ] = None,
    style: Annotated[
        Literal["table", "json"], typer.Option("--format", help="How it is printed.")
    ] = "table",
) -> None:  # fmt: skip
    """Measure how fast games are played here, in memory and in runs, and how fast players search.

    Rates are medians of short slices, measured in turn, with their range. On one core they are
    by CPU time, on several by the wall.
    """
    if not (math.isfinite(seconds) and seconds > 0):
        raise UserError(f"--seconds {seconds:g}: give a number above 0, such as 30")
    from pipelines.bench import measure, subjects_of
    from pipelines.bench_results import document
    from pipelines.bench_searches import thinkers_of
    from pipelines.executors import available
    from sim.agents import parse_agent

    subjects = subjects_of(variants or DEFAULT)
    players = [parse_agent(spec) for spec in agents or SEARCHES.split()]
    thinkers = thinkers_of(subjects if variants else subjects_of(SEARCHED), players)
    duels: dict[str, list[Duel]] = {}
    if against is not None:
        from pipelines.bench_openspiel import duels_of, searches_of

        duels = {against: [*duels_of(subjects), *searches_of(thinkers)]}
    threads, every = cores or available(), [duel for some in duels.values() for duel in some]
    with _progress(seconds) as watch:
        rounds = measure(
            subjects, thinkers, every, threads=threads, seconds=seconds, tell=tell, watch=watch
        )
    results = document(subjects, thinkers, threads, rounds, duels)
    print(json.dumps(results, ensure_ascii=False) if style == "json" else text(results))


@contextmanager
def _progress(seconds: float) -> Iterator[Callable[[float], None]]:
    """Show on a terminal how much of the time has passed; yield what is told of it."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    words = TextColumn("measuring, {task.completed:.0f} of about {task.total:.0f} s")
    with Progress(BarColumn(), words, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=seconds)
        yield lambda passed: bar.update(task, completed=passed)


def text(results: dict[str, Any]) -> str:
    """Return the results as tables for a terminal."""
    machine = results["machine"]
    head = (
        f"{machine['processor'][:LONGEST_NAME]}, cores: {machine['cores']}\n"
        f"Python {machine['python']}, Numba {machine['numba']}, mancalab {machine['mancalab']};"
        f" rounds of measuring: {results['rounds']}"
    )
    tables = [_playing(results["playing"]), _runs(results["runs"])]
    tables.append(_searches(results["searches"]))
    tables += [_against(entries) for entries in results["against"].values()]
    return "\n\n".join([head, *(table.terminal() for table in tables)])


def _playing(entries: list[dict[str, Any]]) -> Table:
    from reports.tables import Table

    rows = [
        [
            entry["variant"], f"{entry['cores']:,}", f"{entry['games_per_second']:,.0f}",
            *_range(entry, "moves_per_second", 1e6), f"{entry['ns_per_move']:.1f}",
            f"{entry['cpu_per_game_ratio']:.2f}x",
        ]
        for entry in entries
    ]  # fmt: skip
    return Table(
        ["", "cores", "games\na second", "M moves\na second", "range", "CPU ns\na move",
         "CPU\na game"],
        rows,
        [False, *[True] * 6],
        title="Playing in memory, random players",
        lines=[
            "On one core a second is one of CPU time, on several one of the wall. CPU a game:",
            "compared with one core. Medians; ranges are from the least to the greatest.",
        ],
    )  # fmt: skip


def _runs(entries: list[dict[str, Any]]) -> Table:
    from reports.tables import Table

    rows = [
        [
            entry["variant"], entry["log"], *_range(entry, "moves_per_second", 1e6),
            f"{entry['of_playing']:.0%}", f"{entry['bits_per_move']:.2f}", str(entry["threads"]),
        ]
        for entry in entries
    ]  # fmt: skip
    return Table(
        ["", "--log", "M moves\na second", "range", "of\nplaying", "bits\na move", "threads"],
        rows,
        [False, False, *[True] * 5],
        title="Whole runs, games to disk",
        lines=[
            "By the wall. Of playing: compared with playing in memory on all cores, a moment",
            "before. Threads: how many had a file to write. These runs are short: in long",
            "ones beginning and end weigh less, and rates are somewhat higher.",
        ],
    )


def _searches(entries: list[dict[str, Any]]) -> Table:
    from reports.tables import Table

    rows = [
        [
            entry["variant"], entry["agent"], *_range(entry, "looked_at_per_second", 1e6, 2),
            f"{entry['ms_per_choice']:,.2f}",
        ]
        for entry in entries
    ]  # fmt: skip
    return Table(
        ["", "--agent", "M looked at\na second", "range", "ms\na move"],
        rows,
        [False, False, *[True] * 3],
        title="Searches on one core, by CPU time",
        lines=[
            "What is looked at: positions visited by minimax, games played out by mcts. The",
            "move that is searched is the first one after four random plies.",
        ],
    )


def _against(entries: list[dict[str, Any]]) -> Table:
    from reports.tables import Table

    rows = [
        [
            entry["variant"], entry["agent"], entry["game"], f"{entry['ratio']:,.1f}x",
            _between(entry, "ratio", 1, 1), str(len(entry["samples"])),
        ]
        for entry in entries
    ]  # fmt: skip
    return Table(
        ["", "player", "OpenSpiel's", "times\nas fast", "range", "pairs"],
        rows,
        [False, False, False, True, True, True],
        title="Beside OpenSpiel: moves, or games played out, a CPU-second",
        lines=[
            "Random games beside its plain loop in Python, searches beside its own in C++.",
            "Both on one core, slice by slice in turn; the median of the pairs' ratios. Its",
            "mancala is kalah. It has no game with relays, such as sungka.",
        ],
    )


def _range(entry: dict[str, Any], name: str, unit: float, digits: int = 1) -> tuple[str, str]:
    return f"{entry[name] / unit:,.{digits}f}", _between(entry, name, unit, digits)


def _between(entry: dict[str, Any], name: str, unit: float = 1, digits: int = 0) -> str:
    low, high = (entry[f"{name}_{end}"] / unit for end in ("low", "high"))
    return f"{low:,.{digits}f} – {high:,.{digits}f}"
