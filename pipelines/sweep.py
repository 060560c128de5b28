"""Runs a plan into a dataset's folder."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from pipelines.cell_games import warm_cells
from pipelines.dataset import Dataset, check_target, holding, is_vacant, open_dataset
from pipelines.executors import Executor
from pipelines.logs import WITH_MOVES
from pipelines.mending import prepare, sweep_out
from pipelines.plan import Plan
from pipelines.play import PlayShards, jobs_of
from pipelines.progress import Meter
from pipelines.shards import Coverage, count_missing, shards_of


@dataclass(frozen=True)
class Outcome:
    """What a dataset holds after a run, how many games that run played, and its wall time."""

    dataset: Dataset
    played: int
    seconds: float


def preview(plan: Plan, folder: Path | None) -> tuple[int, int]:
    """Return how many games, in how many shards, a run would play now, touching nothing."""
    if folder is None or is_vacant(folder):
        return count_missing(plan, Coverage())
    check_target(folder, plan)
    return count_missing(plan, open_dataset(folder).coverage)


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
    with holding(folder):
        check_target(folder, plan)
        dataset = prepare(folder, plan.text, plan.cells)
        for note in filter(None, [plan.note, *dataset.notes]):
            tell(note)
        try:
            played = _play_missing(plan, dataset, executor, tell, metered)
        finally:
            sweep_out(folder)  # what workers left that were killed
    return Outcome(dataset, played, perf_counter() - start)


def _play_missing(
    plan: Plan, dataset: Dataset, executor: Executor, tell: Callable[[str], None], metered: bool
) -> int:
    shards = shards_of(plan, dataset.coverage)
    if not shards:
        return 0
    warm_cells(plan.shared, tell, packing=plan.log in WITH_MOVES)
    work = PlayShards(dataset.folder.absolute())  # workers elsewhere stand in other folders
    with Meter(sum(shard.games for shard in shards), shown=metered) as meter:
        rows = executor.run(jobs_of(shards, plan.shared), work, meter.add)
        with closing(rows):  # so that no job outlives an error here
            for row in rows:
                dataset.commit(row)
    return meter.total
