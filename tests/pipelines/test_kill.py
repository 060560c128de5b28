"""A run that is killed or interrupted at any moment: nothing is lost, nothing is there twice."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from played import files_of, hidden_files, run

from pipelines.dataset import open_dataset
from pipelines.shards import SMALLEST

PLAN: dict[str, Any] = {
    "games": 2 * SMALLEST,
    "grid": {"variant": ["kalah"], "board.pits": [4, 5, 6]},
}
PRECISE: dict[str, Any] = PLAN | {"games": SMALLEST, "stop": {"half_width": 0.004}}
COMMAND = [
    sys.executable, "-c", "from pipelines.cli import main; main()", "run", "kalah",
    "--pits", "4..6", "--games", str(2 * SMALLEST), "--out",
]  # fmt: skip


def begun(folder: Path, *options: str) -> "subprocess.Popen[str]":
    """Start the run and return once it has begun to write shards, or is through."""
    process = subprocess.Popen(
        [*COMMAND, str(folder), *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while process.poll() is None and not list(folder.glob("games/.*")):
        time.sleep(0.01)
    return process


def shards(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("*/*.parquet") if path.parent.name == "games"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return files_of(run(tmp_path_factory.mktemp("undisturbed") / "d", PLAN))


@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.slow)])
@pytest.mark.parametrize("precise", [False, True])
def test_kills_at_random_moments(
    tmp_path: Path, undisturbed: dict[str, str], precise: bool, kills: int
) -> None:
    folder, clock = tmp_path / "d", random.Random(kills)
    plan = PRECISE if precise else PLAN
    if precise:
        undisturbed = files_of(run(tmp_path / "undisturbed", plan))
    options = ("--games", str(SMALLEST), "--half-width", "0.004") if precise else ()
    for _ in range(kills):
        process = begun(folder, *options)
        time.sleep(clock.uniform(0, 0.5))
        process.kill()
        process.communicate()
        # Whatever is visible is whole, and counts: the dataset reads at any time.
        assert {row.file.removeprefix("games/") for row in open_dataset(folder).rows} == set(
            shards(folder)
        )
        if clock.random() < 0.3 and shards(folder):  # so that many kills do not run out of work
            (folder / "games" / clock.choice(shards(folder))).unlink()
    run(folder, plan)
    assert files_of(folder) == undisturbed
    assert not hidden_files(folder)


def test_an_interrupted_run_says_how_to_go_on(tmp_path: Path, undisturbed: dict[str, str]) -> None:
    folder = tmp_path / "d"
    process = begun(folder)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - start < 20  # the machine may be busy; a shard is not awaited
    assert (process.returncode, out) == (130, "")
    said = f"mancalab run --plan {folder}/plan.toml --out {folder}\n"
    assert said in err
    assert "Traceback" not in err
    assert not hidden_files(folder)
    subprocess.run(
        [*COMMAND[:3], *said.split()[1:]], check=True, capture_output=True, env=os.environ
    )
    assert files_of(folder) == undisturbed


def test_a_full_disk_is_one_line_and_the_run_goes_on_later(
    tmp_path: Path, undisturbed: dict[str, str]
) -> None:
    folder = tmp_path / "d"
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000));"
    command = [*COMMAND[:2], limited + COMMAND[2], *COMMAND[3:], str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "File too large" in done.stderr
    assert f"to go on: mancalab run --plan {folder}/plan.toml --out {folder}" in done.stderr
    assert "Traceback" not in done.stderr
    assert not hidden_files(folder)
    run(folder, PLAN)
    assert files_of(folder) == undisturbed


def test_a_second_process_is_refused_and_the_first_completes(
    tmp_path: Path, undisturbed: dict[str, str]
) -> None:
    folder = tmp_path / "d"
    first = begun(folder)
    second = subprocess.run([*COMMAND, str(folder)], capture_output=True, text=True, check=False)
    first.communicate()
    assert first.returncode == 0
    assert second.returncode == 2 or "nothing to do" in second.stdout  # the first was faster
    if second.returncode == 2:
        assert "another run is at work there" in second.stderr
        assert second.stderr.count("\n") == 1
    assert files_of(folder) == undisturbed
