"""Measures what this machine plays: in memory, in whole runs, and beside another program.

On a shared machine noise is larger than most differences. So everything is measured in short
slices in turn, and what is compared was measured side by side.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter, process_time, thread_time
from types import TracebackType
from typing import Self

from pipelines import shards, sweep
from pipelines.cell_games import CellGames
from pipelines.cells import Cell
from pipelines.executors import Threads
from pipelines.grid import DEFAULT_AGENTS
from pipelines.logs import LOGS
from pipelines.plan import Plan, document_of, parse_plan
from sim.agents import Agent
from sim.room import GAMES_PER_BATCH
from sim.sittings import NO_OPENING, Opening
from sim.warming import warm_play

SLICE_SECONDS, LEAST_SLICES = 0.1, 100
"""A slice takes so long, or less where so many would not fit the time that there is."""

RUN_SLICES = 2
"""A run is of as many games as are played in memory in so many slices. In shorter ones its
beginning and end weigh more."""

PAIRS = 2  # slices a round of each, this program and another by turns
APART = 1 << 32  # between the numbers of the games of two slices, and of two threads
WARM_GAMES = 100


@dataclass(frozen=True)
class Sample:
    """What was played in a slice, in how many seconds of CPU time, all threads, and of the wall."""

    games: int
    moves: int
    cpu: float
    wall: float


@dataclass(frozen=True)
class Run(Sample):
    """A run into a folder: also the bytes and the shards that it wrote."""

    size: int
    shards: int


@dataclass(frozen=True)
class Step:
    """Slices one after the other: on one core, on all, and a whole run with a log level."""

    log: str
    alone: Sample
    together: Sample
    run: Run


@dataclass
class Subject:
    """A variant that is measured, played at random, and what was measured.

    `name` is a preset's, or a TOML file.
    """

    name: str
    label: str
    cell: Cell
    steps: list[Step] = field(default_factory=list)


@dataclass
class Thinker:
    """A player that is measured in a variant, and what was measured.

    `think` has it choose for so many seconds from the position of a number on; of its samples the
    games are choices, and the moves the positions or plays that were looked at.
    """

    subject: Subject
    agent: Agent
    think: Callable[[int, float], Sample]
    samples: list[Sample] = field(default_factory=list)


@dataclass
class Duel:
    """A variant and a player beside a game and a player of another program.

    `ours` plays from a game of a number on, `loop` the other one, both for so many seconds and one
    game at least. A pair is what this program and then what the other one played, in slices one
    after the other.
    """

    subject: Subject
    agent: Agent
    game: str
    ours: Callable[[int, float], Sample]
    loop: Callable[[float], Sample]
    pairs: list[tuple[Sample, Sample]] = field(default_factory=list)


def subjects_of(names: Iterable[str]) -> list[Subject]:
    """Return presets or TOML files as subjects, each once. Raises `UserError` as a run does."""
    cells = {name: _plan(name, 1, LOGS[0]).cells[0] for name in dict.fromkeys(names)}
    labels = [cell.variant for cell in cells.values()]
    return [
        Subject(name, cell.variant if labels.count(cell.variant) == 1 else name, cell)
        for name, cell in cells.items()
    ]


def measure(
    subjects: Sequence[Subject],
    thinkers: Sequence[Thinker],
    duels: Sequence[Duel],
    *,
    threads: int,
    seconds: float,
    tell: Callable[[str], None],
    watch: Callable[[float], None],
) -> int:
    """Measure in rounds for about so many seconds, one round at least; return how many.

    `tell` is told before something compiles, `watch` of the seconds that have passed. What is
    measured goes into subjects, thinkers and duels. Runs write into a temporary folder, which is
    gone afterwards, also after an interruption.
    """
    length = min(SLICE_SECONDS, seconds / LEAST_SLICES)
    with (
        tempfile.TemporaryDirectory(prefix="mancalab-bench-") as name,
        Crew(threads) as crew,
    ):
        folder = Path(name)
        _warm(subjects, thinkers, duels, crew, folder, tell)
        start, rounds = perf_counter(), 0
        while True:
            for subject in subjects:
                for log in LOGS:
                    subject.steps.append(_step(subject, log, crew, folder, length))
                    watch(perf_counter() - start)
            for thinker in thinkers:
                thinker.samples.append(thinker.think(rounds * APART, length))
                watch(perf_counter() - start)
            for duel in list(duels) * PAIRS:
                duel.pairs.append(_pair(duel, length))
                watch(perf_counter() - start)
            rounds += 1
            # Another round is begun if at least half of it fits.
            if (perf_counter() - start) * (rounds + 0.5) / rounds > seconds:
                return rounds


class Crew(AbstractContextManager["Crew"]):
    """Threads that play side by side. They stay, and with them the memory that they play in."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads, "mancalab")
        self._start = threading.Barrier(threads)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._start.abort()
        self._pool.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def play(self, cell: Cell, first: int, seconds: float) -> Sample:
        """Play in all threads for so many seconds, at least a batch each."""
        numbers = [first + thread * APART for thread in range(self.threads)]
        jobs = [self._pool.submit(self._one, cell, number, seconds) for number in numbers]
        return together([job.result() for job in jobs])

    def _one(self, cell: Cell, first: int, seconds: float) -> Sample:
        self._start.wait()
        return play_for(cell, first, seconds)


def together(parts: Sequence[Sample]) -> Sample:
    """Return what threads played side by side as one sample.

    They do not end at one moment. Its wall time is the one in which they would have played all
    this at the rates that each had: the end, where some play no more, does not count.

    >>> together([Sample(1, 100, 1.0, 1.0), Sample(2, 200, 1.0, 2.0)])
    Sample(games=3, moves=300, cpu=2.0, wall=1.5)
    """
    moves = sum(part.moves for part in parts)
    rate = sum(part.moves / part.wall for part in parts)
    games = sum(part.games for part in parts)
    return Sample(games, moves, sum(part.cpu for part in parts), moves / rate)


def play_for(cell: Cell, first: int, seconds: float) -> Sample:
    """Play a cell's games from number `first` on in this thread, a batch at least."""
    played = CellGames(cell, 0)
    games = moves = 0
    start, cpu = perf_counter(), thread_time()
    while True:
        batch = played.play(first + games, GAMES_PER_BATCH)
        games += batch.count
        moves += len(batch.moves)
        wall = perf_counter() - start
        if wall >= seconds:
            return Sample(games, moves, thread_time() - cpu, wall)


def _step(subject: Subject, log: str, crew: Crew, folder: Path, length: float) -> Step:
    first = 2 * len(subject.steps) * crew.threads * APART
    one, every = (partial(by, subject.cell, first, length) for by in (play_for, crew.play))
    if crew.threads == 1:
        alone = all_cores = one()
    elif len(subject.steps) % 2:  # by turns, lest one always finds what the run before left
        all_cores, alone = every(), one()
    else:
        alone, all_cores = one(), every()
    # A run of fewer games than this would not have a shard for each thread.
    part = shards.SMALLEST * crew.threads
    parts = -int(-all_cores.games / all_cores.wall * RUN_SLICES * length // part)
    run = _run(_plan(subject.name, max(parts, 1) * part, log), crew.threads, folder / "run")
    return Step(log, alone, all_cores, run)


def _run(plan: Plan, threads: int, folder: Path) -> Run:
    """Play a plan into a folder as `mancalab run` does, and remove it."""
    cpu = process_time()
    outcome = sweep.run(plan, folder, Threads(threads), lambda _: None, metered=False)
    cpu, data = process_time() - cpu, outcome.dataset
    done = Run(data.games, data.moves, cpu, outcome.seconds, data.size, len(data.rows))
    shutil.rmtree(folder)
    return done


def _pair(duel: Duel, length: float) -> tuple[Sample, Sample]:
    theirs = duel.loop(length)
    return duel.ours(len(duel.pairs) * APART, length), theirs


def _warm(
    subjects: Sequence[Subject],
    thinkers: Sequence[Thinker],
    duels: Sequence[Duel],
    crew: Crew,
    folder: Path,
    tell: Callable[[str], None],
) -> None:
    """Do once all that is slow for the first time only."""
    played = [(subject.cell.rules, subject.cell.agents, NO_OPENING) for subject in subjects]
    searched = [(t.subject.cell.rules, (t.agent, t.agent), Opening(1)) for t in thinkers]
    warm_play([*played, *searched], tell)
    for subject in subjects:
        play_for(subject.cell, 0, 0)
        crew.play(subject.cell, 0, 0)
    for log in LOGS:
        _run(_plan(subjects[0].name, WARM_GAMES, log), crew.threads, folder / "warm")
    for thinker in thinkers:
        thinker.think(0, 0)
    for duel in duels:
        duel.ours(0, 0)
        duel.loop(0)


def _plan(name: str, games: int, log: str) -> Plan:
    document = document_of([name], {}, [DEFAULT_AGENTS], seed=0, games=games, log=log)
    return parse_plan(document, "bench", Path())
