"""Plans of very many cells: planned at once, few files, no cell dearer than in a small plan."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from played import plan_of, run

from pipelines.dataset import open_dataset
from pipelines.plan import Plan, read_plan
from pipelines.sweep import preview

PAIRS = [["random", "random"], ["greedy", "random"], ["random", "greedy"], ["greedy", "greedy"],
         ["greedy,eps=0.5", "greedy"]]  # fmt: skip
TEN = [*range(1, 11)]
MANY: dict[str, Any] = {
    "games": 1_000,
    "grid": {
        "variant": ["kalah", "owari", "sungka", "oware"], "board.pits": TEN, "board.seeds": TEN,
        "agents": PAIRS,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plans") / "plan.toml"
    path.write_text(plan_of(MANY).text)
    return path


@pytest.mark.parametrize("stop", [None, {"half_width": 0.02}])
def test_two_thousand_cells_are_planned_within_three_seconds(
    many: Path, stop: dict[str, float] | None
) -> None:
    start = time.process_time()
    plan: Plan = read_plan(many) if stop is None else plan_of(MANY, stop=stop)
    coming = preview(plan, None)
    assert time.process_time() - start < 3
    assert (len(plan.cells), coming.games) == (2_000, 2_000_000)
    assert coming.shards <= 16


@pytest.mark.slow
def test_two_thousand_cells_are_few_files_and_no_dearer_than_four_hundred(tmp_path: Path) -> None:
    few = MANY | {"grid": MANY["grid"] | {"board.pits": [1, 4, 7, 10],
                                          "board.seeds": [1, 3, 5, 7, 10]}}  # fmt: skip
    costs = []
    for place, plan in enumerate((few, MANY)):
        start = time.process_time()
        dataset = open_dataset(run(tmp_path / str(place), plan))
        costs.append((time.process_time() - start) / dataset.moves)
    assert dataset.games == 2_000_000
    assert len(list((tmp_path / "1").glob("*/*.parquet"))) <= 2 * 16 + 1
    assert costs[1] < 1.3 * costs[0]


HUGE = """
import resource, sys
from pathlib import Path
from pipelines.cli import main
try:
    main(sys.argv[1:])
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)
"""


@pytest.mark.slow
def test_a_hundred_thousand_cells_are_planned_and_resumed_within_memory(tmp_path: Path) -> None:
    """Of the plan a share is played; all of it is planned, and looked through for what is there."""
    grid = {
        "variant": ["kalah", "owari", "easy", "sunka", "oware"], "board.pits": TEN,
        "board.seeds": TEN, "end.max_plies": [*range(100, 200)],
        "end.leftover": ["owner", "opponent"],
    }  # fmt: skip
    plan = plan_of({"games": 2, "grid": grid})
    assert len(plan.cells) == 100_000
    path, out = tmp_path / "plan.toml", tmp_path / "d"
    path.write_text(plan.text)
    begin = ["run", "--plan", str(path), "--out", str(out)]
    for arguments in (
        [*begin, "--shard", "1/50"], [*begin, "--shard", "2/50"], [*begin, "--dry-run"],
        ["status", str(out)],
    ):  # fmt: skip
        start = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-c", HUGE, *arguments], capture_output=True, text=True, check=True
        )
        assert int(done.stderr.split()[-1]) < 1_500  # MB
        assert time.monotonic() - start < 240
    assert open_dataset(out).games == 8_000
