"""What was measured, as the document that `mancalab bench --format json` prints.

Every figure is a median over samples, `_low` and `_high` are the least and the greatest.
"""

import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import Any

from pipelines.bench import Duel, Sample, Step, Subject, Thinker
from pipelines.executors import available
from pipelines.logs import LOGS

CPU_INFO = Path("/proc/cpuinfo")


def machine() -> dict[str, Any]:
    """Return what the figures depend on: processor, how many may be used, versions."""
    return {
        "processor": _processor(), "cores": available(), "system": platform.system(),
        "python": platform.python_version(), "numba": _version("numba"),
        "mancalab": _version("mancalab"),
    }  # fmt: skip


def document(
    subjects: Sequence[Subject],
    thinkers: Sequence[Thinker],
    threads: int,
    rounds: int,
    against: Mapping[str, Sequence[Duel]],
) -> dict[str, Any]:
    """Return all results as JSON has them."""
    cores = sorted({1, threads})
    return {
        "machine": machine(),
        "rounds": rounds,
        "playing": [playing(s.label, s.steps, n) for s in subjects for n in cores],
        "runs": [run(s.label, s.steps, log, threads) for s in subjects for log in LOGS],
        "searches": [search(thinker) for thinker in thinkers],
        "against": {name: [duel(d) for d in duels] for name, duels in against.items()},
    }


def playing(variant: str, steps: Sequence[Step], cores: int) -> dict[str, Any]:
    """Return the rates of playing in memory: by CPU time on one core, by the wall on several.

    `ns_per_move` is CPU time, and `cpu_per_game_ratio` what a game takes of it compared with
    playing on one core a moment before.
    """
    alone = [step.alone for step in steps]
    samples = alone if cores == 1 else [step.together for step in steps]
    times = [s.cpu if cores == 1 else s.wall for s in samples]
    games = [s.games / time for s, time in zip(samples, times, strict=True)]
    moves = [s.moves / time for s, time in zip(samples, times, strict=True)]
    costs = [
        (s.cpu / s.games) / (one.cpu / one.games) for s, one in zip(samples, alone, strict=True)
    ]
    return {
        "variant": variant, "cores": cores, "games_per_second": median(games),
        **spread("moves_per_second", moves),
        "ns_per_move": median(1e9 * s.cpu / s.moves for s in samples),
        "cpu_per_game_ratio": median(costs),
        "samples": [listed(s) for s in samples],
    }  # fmt: skip


def run(variant: str, steps: Sequence[Step], log: str, threads: int) -> dict[str, Any]:
    """Return the rate of whole runs with a log level.

    `of_playing` compares each with playing in memory on as many cores a moment before, both by
    the wall. `threads` is how many of them had a shard.
    """
    mine = [step for step in steps if step.log == log]
    shares = [(s.run.moves / s.run.wall) / (s.together.moves / s.together.wall) for s in mine]
    runs = [step.run for step in mine]
    return {
        "variant": variant, "log": log,
        **spread("moves_per_second", (r.moves / r.wall for r in runs)),
        **spread("of_playing", shares),
        "bits_per_move": median(8 * r.size / r.moves for r in runs),
        "threads": min(threads, *(r.shards for r in runs)),
        "samples": [listed(r) for r in runs],
    }  # fmt: skip


def search(thinker: Thinker) -> dict[str, Any]:
    """Return how many positions or plays a player looks at in a CPU-second, and how long it thinks.

    Those that look at nothing, as `greedy`, have 0 of them.
    """
    samples = [sample for sample in thinker.samples if sample.games]
    return {
        "variant": thinker.subject.label, "agent": thinker.agent.text,
        **spread("looked_at_per_second", (s.moves / s.cpu for s in samples)),
        "ms_per_choice": median(1e3 * s.cpu / s.games for s in samples),
        "samples": [listed(s) for s in samples],
    }  # fmt: skip


def duel(measured: Duel) -> dict[str, Any]:
    """Return how many times as many moves a CPU-second this program plays, and all samples.

    Of a search, a move is a play.
    """
    ratios = [
        (ours.moves / ours.cpu) / (theirs.moves / theirs.cpu) for ours, theirs in measured.pairs
    ]
    return {
        "variant": measured.subject.label, "agent": measured.agent.text, "game": measured.game,
        **spread("ratio", ratios),
        "samples": [
            {"ours": listed(ours), "theirs": listed(theirs)} for ours, theirs in measured.pairs
        ],
    }  # fmt: skip


def spread(name: str, values: Iterable[float]) -> dict[str, float]:
    """Return the median, the least and the greatest of some values.

    >>> spread("ratio", [3.0, 1.0, 2.5])
    {'ratio': 2.5, 'ratio_low': 1.0, 'ratio_high': 3.0}
    """
    ordered = sorted(values)
    return {name: median(ordered), f"{name}_low": ordered[0], f"{name}_high": ordered[-1]}


def listed(sample: Sample) -> dict[str, float]:
    """Return a sample as JSON has it."""
    return {
        "games": sample.games, "moves": sample.moves, "cpu_seconds": sample.cpu,
        "wall_seconds": sample.wall,
    }  # fmt: skip


def _processor() -> str:
    try:
        lines = CPU_INFO.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(filter(None, [*names, platform.processor(), platform.machine()]), sys.platform)


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "from a checkout"
