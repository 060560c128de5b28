"""Runs a plan into a dataset's folder."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from pipelines.cell_games import warm_cells
from pipelines.dataset import Dataset, check_target, is_vacant, open_dataset
from pipelines.executors import Executor
from pipelines.holding import holding
from pipelines.logs import WITH_MOVES
from pipelines.manifest import Row
from pipelines.mending import prepare
from pipelines.plan import Plan
from pipelines.play import play_shard
from pipelines.progress import Meter
from pipelines.shards import Coverage, Shard, count_missing, shards_of


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
    with holding(folder) as check:
        check_target(folder, plan)
        dataset = prepare(folder, plan.text, plan.cells)
        for note in filter(None, [plan.note, *dataset.notes]):
            tell(note)
        with dataset.committing(check):
            played = _play_missing(plan, dataset, executor, tell, metered)
    return Outcome(dataset, played, perf_counter() - start)


def _play_missing(
    plan: Plan, dataset: Dataset, executor: Executor, tell: Callable[[str], None], metered: bool
) -> int:
    shards = shards_of(plan, dataset.coverage)
    if not shards:
        return 0
    warm_cells(plan.shared, tell, packing=plan.log in WITH_MOVES)
    cells = {cell.id: cell for cell in plan.shared}
    with Meter(sum(shard.games for shard in shards), shown=metered) as meter:

        def tick(games: int) -> None:
            meter.add(games)
            executor.check()

        def work(shard: Shard) -> Row:
            return play_shard(shard, cells, dataset.folder, tick, executor.check)

        with closing(executor.run(shards, work)) as rows:  # so that no job outlives an error here
            for row in rows:
                dataset.commit(row)
    return meter.total
