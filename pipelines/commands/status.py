"""`mancalab status`: how far a dataset is."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pipelines.messages import count, folded
from pipelines.options import file_name

if TYPE_CHECKING:
    from pipelines.dataset import Dataset
    from pipelines.plan import Plan

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

    dataset = open_dataset(folder)
    plans = read_plans(folder)
    # Merged plans may have games in common: those count once.
    entries = [entry for plan in plans for entry in _cells(plan, dataset)]
    entries.sort(key=lambda entry: entry["planned"])
    cells = list({(entry["seed"], entry["cell"]): entry for entry in entries}.values())
    done, total = (sum(entry[key] for entry in cells) for key in ("games", "planned"))
    state = {
        "out": str(folder), "cells": len(cells), "games": done, "planned": total,
        "moves": dataset.moves, "shards": len(dataset.rows), "bytes": dataset.size,
        "bare": dataset.logged("none"),
        "running": is_held(folder),
    }  # fmt: skip
    if style == "json":
        print(json.dumps(state | {"by_cell": cells}, ensure_ascii=False))
    else:
        _show(state, cells)
        if done < total and not state["running"]:
            print(_mend(folder, cells, merged=is_merged(folder)))


def _cells(plan: Plan, dataset: Dataset) -> list[dict[str, Any]]:
    from pipelines.shards import Coverage

    have = Coverage(span for row in dataset.rows if row.seed == plan.seed for span in row.spans)
    return [
        {
            "cell": cell.id, "label": f"{cell.label}, seed {plan.seed}", "seed": plan.seed,
            "games": have.count(cell.id, plan.games), "planned": plan.games,
        }
        for cell in plan.cells
    ]  # fmt: skip


def _show(state: dict[str, Any], cells: list[dict[str, Any]]) -> None:
    done, total = state["games"], state["planned"]
    stage = "complete" if done == total else "at work" if state["running"] else "unfinished"
    print(f"{state['out']}: {stage}, {done:,} of {total:,} games ({100 * done // total} %)")
    parts = {"move": state["moves"], "cell": state["cells"], "shard": state["shards"]}
    holds = ", ".join(count(number, what) for what, number in parts.items())
    print(f"{holds}, {state['bytes'] / 1e6:,.1f} MB")
    if state["bare"]:
        print(f"{count(state['bare'], 'game')} kept as statistics alone (--log none)")
    width = max(len(f"{entry['planned']:,}") for entry in cells)
    for entry in cells[:SHOWN]:
        games = f"{entry['games']:>{width},} of {entry['planned']:,}"
        print(folded(f"{entry['cell'][:8]}  {games}  {entry['label']}", indent=10))
    if len(cells) > SHOWN:
        print(f"… and {len(cells) - SHOWN:,} more cells")


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
