"""Runs a plan into a dataset's folder."""

from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from pipelines.cell_games import warm_cells
from pipelines.dataset import Dataset, check_target, is_vacant, open_dataset
from pipelines.executors import Executor
from pipelines.holding import holding
from pipelines.logs import WITH_MOVES
from pipelines.manifest import Row
from pipelines.mending import prepare, sweep_out
from pipelines.plan import Plan
from pipelines.play import PlayShards, jobs_of
from pipelines.remote import StoreError
from pipelines.schedule import Schedule, Wave
from pipelines.shards import games_of_shard, shards_of
from pipelines.watch import Watch


@dataclass(frozen=True)
class Outcome:
    """What a dataset holds after a run, how many games that run played, and its wall time."""

    dataset: Dataset
    played: int
    seconds: float


@dataclass(frozen=True)
class Preview:
    """What a run would do next: games and shards; with `[stop]` up to when cells are judged.

    `expected` are about the games of each cell that it plays in all.
    """

    games: int
    shards: int
    expected: Mapping[str, int] = field(default_factory=dict)


def preview(plan: Plan, folder: Path | None) -> Preview:
    """Return what a run would play now, touching nothing."""
    rows: list[Row] = []
    if folder is not None and not is_vacant(folder):
        check_target(folder, plan)
        rows = open_dataset(folder).rows
    schedule = Schedule(plan, folder or Path(), rows)
    schedule.settled().check()
    wave = schedule.wave()
    if wave is None:
        return Preview(0, 0)
    games = sum(span.games for span in wave.spans)
    shards = -(-games // games_of_shard(plan, wave.games))  # all but the last are full
    return Preview(games, shards, schedule.expected())


def run(
    plan: Plan,
    folder: Path,
    executor: Executor,
    tell: Callable[[str], None],
    *,
    metered: bool = True,
) -> Outcome:
    """Play what a plan, or its share, lacks in a folder.

    `tell` gets notes for the user; progress is shown if `metered`. Raises `UserError`, before
    anything is written, where the folder holds other things. Whatever else is raised, the folder
    is a dataset of whole shards, which the same call completes.
    """
    start = perf_counter()
    check_target(folder, plan)
    with holding(folder) as check:
        check_target(folder, plan)
        rows = [] if is_vacant(folder) else open_dataset(folder).rows
        schedule = Schedule(plan, folder, rows)
        schedule.settled().check()
        wave = schedule.wave()
        dataset = prepare(folder, plan.text, plan.cells)
        for note in filter(None, [plan.note, *dataset.notes]):
            tell(note)
        try:
            with dataset.committing(check):
                played = _play(wave, schedule, plan, dataset, executor, tell, metered)
        finally:
            with suppress(StoreError):  # which is raised already, or is no matter
                sweep_out(folder)  # what workers left that were killed
    return Outcome(dataset, played, perf_counter() - start)


def _play(
    wave: Wave | None,
    schedule: Schedule,
    plan: Plan,
    dataset: Dataset,
    executor: Executor,
    tell: Callable[[str], None],
    metered: bool,
) -> int:
    """Play wave after wave; return how many games."""
    if not wave:
        return 0
    warm_cells(plan.shared, tell, packing=plan.log in WITH_MOVES)
    work = PlayShards(dataset.folder.absolute())  # workers elsewhere stand in other folders
    with Watch({cell.id: cell for cell in plan.shared}, dataset, schedule, shown=metered) as watch:
        while wave:
            watch.expect(sum(schedule.expected().values()))
            jobs = jobs_of(shards_of(plan, wave.spans, wave.games), plan.shared)
            with closing(executor.run(jobs, work, watch.tick)) as rows:  # no job outlives an error
                for row in rows:
                    dataset.commit(row)
                    schedule.add(row)
                    watch.committed(row)
            wave = schedule.wave()
    schedule.check()  # what only the games that were played now tell
    return watch.played
