"""Runs on the workers of a cluster: real processes that come, go and are killed."""

import os
import random
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import clusters
import pytest
from clusters import COMMAND, Processes, Watched, alive, awaited, scheduler, worker_of, workers
from command import mancalab
from played import files_of, hidden_files, plan_of, run

from pipelines import cluster, shards, sweep
from pipelines.dataset import open_dataset

home, plan, processes = clusters.home, clusters.plan, clusters.processes
seen, serial = clusters.seen, clusters.serial
OURS = re.compile(r"mancalab: |[ \d]{3} %, ")  # a note, or progress where the machine is busy


def test_a_local_cluster_plays_what_threads_play(
    tmp_path: Path,
    plan: dict[str, Any],
    serial: dict[str, str],
    seen: Callable[[], set[int]],
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "plan.toml").write_text(plan_of(plan).text)
    line = ["--plan", str(tmp_path / "plan.toml"), "--out", str(tmp_path / "d")]
    code, out, err = mancalab(capfd, "run", *line, "--cluster", "local:2")  # what workers say, too
    assert code == 0, err
    assert "3,600 games played" in out
    assert all(OURS.match(line) for line in err.splitlines()), err
    assert files_of(tmp_path / "d") == serial
    assert not hidden_files(tmp_path / "d")
    assert len(seen()) == 2
    assert not any(map(alive, seen()))


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_killed_workers_change_nothing(
    tmp_path: Path,
    plan: dict[str, Any],
    kills: int,
    serial: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shards, "LONGEST", shards.SHORTEST)  # many shards of many games too
    chance, killed = random.Random(kills), []
    games = plan["games"] if kills == 2 else 450 * kills

    def kill(number: int) -> None:
        if number % 5 == 1 and len(killed) < kills:
            time.sleep(chance.uniform(0, 0.4))
            victim = chance.choice(awaited(workers))
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    with Watched("local:2", tmp_path / "d", lambda _: None) as executor:
        executor.then = kill
        sweep.run(plan_of(plan, games=games), tmp_path / "d", executor, lambda _: None)
    assert len(killed) == kills
    assert executor.counted == 3 * games
    assert not hidden_files(tmp_path / "d")
    expected = serial if kills == 2 else files_of(run(tmp_path / "s", plan, games=games))
    assert files_of(tmp_path / "d") == expected


def test_cells_stop_by_precision_as_they_do_with_threads(
    tmp_path: Path, plan: dict[str, Any]
) -> None:
    precise = plan | {"games": 100, "stop": {"half_width": 0.09}}
    with Watched("local:2", tmp_path / "d", lambda _: None) as executor:
        sweep.run(plan_of(precise), tmp_path / "d", executor, lambda _: None)
    assert files_of(tmp_path / "d") == files_of(run(tmp_path / "s", precise))
    assert len({row.spans[-1].stop for row in open_dataset(tmp_path / "d").rows}) > 1


def test_workers_come_late_and_a_second_run_goes_on(
    tmp_path: Path,
    plan: dict[str, Any],
    seen: Callable[[], set[int]],
    processes: Processes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster, "ALONE_SECONDS", 0.1)
    _, address = scheduler(processes)
    joined, notes = [], []

    def come(note: str) -> None:
        notes.append(note)
        joined.append(worker_of(address, processes))

    def come_too(number: int) -> None:
        if number == 1:
            joined.append(worker_of(address, processes))
            awaited(lambda: len(executor._client.nthreads()) == 2)

    with Watched(address, tmp_path / "d", come) as executor:
        executor.then = come_too
        sweep.run(plan_of(plan, games=800), tmp_path / "d", executor, lambda _: None)
        assert notes == [f"cluster {address} has no workers: waiting until one joins"]
        assert seen() == {process.pid for process in joined}
        assert executor.counted == 3 * 800
        executor.then = lambda _: None
        sweep.run(plan_of(plan), tmp_path / "d", executor, lambda _: None)
    run(tmp_path / "s", plan, games=800)
    run(tmp_path / "s", plan)
    assert files_of(tmp_path / "d") == files_of(tmp_path / "s")
    assert all(process.poll() is None for process in joined)  # they are not ours


def test_an_interrupted_run_leaves_no_process_and_says_how_to_go_on(
    tmp_path: Path,
    plan: dict[str, Any],
    serial: dict[str, str],
    seen: Callable[[], set[int]],
    processes: Processes,
) -> None:
    (tmp_path / "plan.toml").write_text(plan_of(plan).text)
    folder = tmp_path / "d"
    process = processes(
        *COMMAND, "run", "--plan", str(tmp_path / "plan.toml"), "--out", str(folder), "--cluster",
        "local:2", start_new_session=True,
    )  # fmt: skip
    awaited(lambda: list(folder.glob("games/*.parquet")))
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, ""), err
    said = f"run --plan {folder}/plan.toml --out {folder} --cluster local:2\n"
    assert f"what is finished is kept; to go on: mancalab {said}" in err
    assert all(OURS.match(line) for line in err.splitlines()), err
    assert seen()
    assert not any(map(alive, seen()))
    assert not hidden_files(folder)
    assert 0 < len(open_dataset(folder).rows) < len(serial)
    run(folder, plan)
    assert files_of(folder) == serial


def test_jobs_that_nobody_wants_any_more_end(
    tmp_path: Path, plan: dict[str, Any], processes: Processes
) -> None:
    _, address = scheduler(processes)
    worker_of(address, processes)

    def fail(number: int) -> None:
        raise InterruptedError(number)

    with Watched(address, tmp_path / "d", lambda _: None) as executor:
        executor.then = fail
        with pytest.raises(InterruptedError):
            sweep.run(plan_of(plan), tmp_path / "d", executor, lambda _: None)
        assert not hidden_files(tmp_path / "d")
        done = len(open_dataset(tmp_path / "d").rows)
        assert done < 4  # what was at its end came to it
        time.sleep(0.5)
        assert not hidden_files(tmp_path / "d")
        assert len(open_dataset(tmp_path / "d").rows) == done
