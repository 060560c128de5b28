"""What `mancalab run --dry-run` prints: what would be played, and what that takes."""

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path

from pipelines.estimate import Estimate, estimate
from pipelines.executors import available
from pipelines.messages import count, folded, tell
from pipelines.plan import Plan
from pipelines.progress import clock
from pipelines.sweep import preview

SHOWN = 40  # cells that are listed one by one


def show_outlook(plan: Plan, out: Path | None, style: str) -> None:
    """Print a plan, and what a run into a folder would play, as text or as JSON."""
    coming = preview(plan, out)
    if plan.note:
        tell(plan.note)
    with redirect_stdout(sys.stderr):  # a player of the user's may print
        guess = estimate(plan, coming.expected, tell)
    if style == "json":
        counts = {
            "cells": len(plan.cells), "games": plan.total, "missing": coming.games,
            "shards": coming.shards, "cpu_seconds": round(guess.cpu_seconds, 3),
            "bytes": guess.size, "expected": sum(coming.expected.values()),
        }  # fmt: skip
        print(json.dumps(counts))
        return
    for cell in plan.cells[:SHOWN]:
        print(folded(f"{cell.id}  {cell.label}", indent=34))
    if len(plan.cells) > SHOWN:
        print(f"… and {len(plan.cells) - SHOWN:,} more")
    cells = f"{count(len(plan.cells), 'cell')} of {count(plan.games, 'game')}"
    cells += " at least" if plan.stop else ""
    print(f"{cells}, seed {plan.seed}, logging {plan.log}: {count(plan.total, 'game')}")
    share = ", share {} of {}".format(*plan.share) if plan.share[1] > 1 else ""
    print(f"{coming.games:,} of them to play{share}, in {count(coming.shards, 'shard')}")
    if coming.games and not plan.stop:
        print(_cost(guess))
    if plan.stop and coming.games:
        print(
            "Then cells are judged, and play on until they are as precise as [stop] says:"
            f"\n{sum(coming.expected.values()):,} games in all, if players are even."
        )
        print(_cost(guess))


def _cost(guess: Estimate) -> str:
    """Say what a run takes here."""
    threads = available()
    time = clock(guess.cpu_seconds / threads)
    return (
        f"about {time} on {count(threads, 'processor')} here and {guess.size / 1e6:,.1f} MB, from"
        f" games of {count(guess.cells, 'cell')} played now"
    )
