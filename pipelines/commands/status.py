"""`mancalab status`: how far a dataset is."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pipelines.messages import count, folded
from pipelines.options import file_name

if TYPE_CHECKING:
    from pipelines.dataset import Dataset
    from pipelines.plan import Plan
    from pipelines.pulse import Sign

SHOWN = 40  # cells that are listed one by one


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(status)


def status(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", parser=file_name, help="A dataset's folder.")
    ],
    style: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How it is printed.")
    ] = "text",
) -> None:
    """Say how far a dataset is: games played and missing, and whether a run is at work."""
    from pipelines.dataset import is_merged, open_dataset, read_plans
    from pipelines.holding import is_held
    from pipelines.pulse import read_sign

    dataset = open_dataset(folder)
    plans = read_plans(folder)
    # Merged plans may have games in common: those count once.
    entries = [entry for plan in plans for entry in _cells(plan, dataset)]
    entries.sort(key=lambda entry: entry["planned"])
    cells = list({(entry["seed"], entry["cell"]): entry for entry in entries}.values())
    running = is_held(folder)
    sign = read_sign(folder) if running else None
    state = {
        "out": str(folder), "cells": len(cells),
        **{key: sum(entry[key] for entry in cells) for key in ("games", "planned")},
        "finished": sum(entry["finished"] for entry in cells),
        "moves": dataset.moves, "shards": len(dataset.rows), "bytes": dataset.size,
        "bare": dataset.logged("none"), "running": running,
        "progress": sign and {**asdict(sign), "left": sign.left},
    }  # fmt: skip
    if style == "json":
        print(json.dumps(state | {"by_cell": cells}, ensure_ascii=False))
        return
    _show(state, cells)
    if sign:
        print(_pace(sign))
    elif state["finished"] < len(cells) and not running:
        print(_mend(folder, cells, merged=is_merged(folder)))


def _cells(plan: Plan, dataset: Dataset) -> list[dict[str, Any]]:
    """Return how each cell of a plan stands, in its order."""
    from pipelines.schedule import Schedule
    from pipelines.standing import Standing

    schedule = Schedule(plan, dataset.folder, dataset.rows).settled()
    standing = Standing(plan.seed, dataset.folder, dataset.rows)
    shares = standing.shares([cell.id for cell in plan.cells])
    return [
        {
            "cell": cell.id, "label": f"{cell.label}, seed {plan.seed}", "seed": plan.seed,
            "games": min(standing.games(cell.id), schedule.planned(cell.id)),
            "planned": schedule.planned(cell.id),
            "finished": not schedule.goes_on(cell.id),
            **share._asdict(),
        }
        for cell, share in zip(plan.cells, shares, strict=True)
    ]  # fmt: skip


def _show(state: dict[str, Any], cells: list[dict[str, Any]]) -> None:
    done, total = state["games"], state["planned"]
    left = len(cells) - state["finished"]
    stage = "complete" if not left else "at work" if state["running"] else "unfinished"
    print(f"{state['out']}: {stage}, {done:,} of {total:,} games ({100 * done // total} %)")
    parts = {"move": state["moves"], "cell": state["cells"], "shard": state["shards"]}
    holds = ", ".join(count(number, what) for what, number in parts.items())
    print(f"{holds}, {state['bytes'] / 1e6:,.1f} MB")
    if state["bare"]:
        print(f"{count(state['bare'], 'game')} kept as statistics alone (--log none)")
    width = max(len(f"{entry['planned']:,}") for entry in cells)
    for entry in cells[:SHOWN]:
        games = f"{entry['games']:>{width},} of {entry['planned']:,}"
        share = ""
        if entry["share"] is not None:
            share = f"  {entry['share']:.4f} ({entry['low']:.4f} – {entry['high']:.4f})"
        print(folded(f"{entry['cell'][:8]}  {games}{share}  {entry['label']}", indent=10))
    if len(cells) > SHOWN:
        print(f"… and {len(cells) - SHOWN:,} more cells")


def _pace(sign: Sign) -> str:
    """Say how fast the run at work is."""
    from pipelines.progress import clock

    left = "" if sign.left is None else f", about {clock(sign.left)} left"
    ago = max(0, time() - sign.at)
    return f"this run: {sign.done:,} games, {sign.rate:,.0f}/s{left} (as of {ago:.0f} s ago)"


def _mend(folder: Path, cells: list[dict[str, Any]], *, merged: bool) -> str:
    """Say how the rest of an unfinished dataset comes to be played."""
    if not merged:
        command = ["mancalab", "run", "--plan", str(folder / "plan.toml"), "--out", str(folder)]
        return f"to go on: {shlex.join(command)}"
    lacking = [entry for entry in cells if entry["games"] < entry["planned"]]
    games = sum(entry["planned"] - entry["games"] for entry in lacking)
    first = min(lacking, key=lambda entry: entry["label"])
    return folded(
        f"{games:,} games of {count(len(lacking), 'cell')} are missing, such as {first['label']}: a"
        " merged dataset is not continued: complete the datasets that were merged, then merge them"
        " again"
    )
