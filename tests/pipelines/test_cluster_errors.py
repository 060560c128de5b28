"""What can be wrong with a cluster is one line."""

import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import clusters
import dask.config
import pytest
from clusters import Processes, awaited, scheduler, worker_of
from command import mancalab, refused
from played import hidden_files, plan_of

from pipelines import cluster, worker
from pipelines.worker import Terms

home, plan, processes = clusters.home, clusters.plan, clusters.processes


def test_what_is_wrong_with_a_cluster_is_a_line(
    tmp_path: Path,
    processes: Processes,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    process, address = scheduler(processes)
    able = worker_of(address, processes)
    Path("bad.py").write_text("def f(position):\n    return 99\n")
    line = ("run", "kalah", "--out", "d", "--cluster", address, "--games")
    said = refused(mancalab(capfd, *line, "9", "--agent", "bad.py:f"))
    assert "bad.py: f answers 99 at ply 1" in said
    assert not hidden_files(Path("d"))

    with monkeypatch.context() as patched:
        patched.setattr(worker, "versions", lambda: {"mancalab": "0.0.1"})
        said = refused(mancalab(capfd, *line, "10", "--agent", "bad.py:f"))
        assert re.search(
            r"worker tcp://\S+ has engine 1, .*, this command mancalab 0.0.1: ins", said
        )
        assert not hidden_files(Path("d"))

    able.kill()
    able.wait()
    worker_of(address, processes, alone=True)
    Path("my.py").write_text("def f(position):\n    return position.legal[0]\n")
    said = refused(mancalab(capfd, *line[:2], "--out", "e", *line[4:], "9", "--agent", "my.py:f"))
    assert re.search(r"worker \S+ cannot read a job \(ModuleNotFoundError: .*\): install", said)

    process.kill()
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    said = refused(mancalab(capfd, *line, "9"))
    assert f"--cluster {address}: no Dask scheduler answers there: give its address" in said


def test_a_scheduler_that_is_lost_is_a_line(
    tmp_path: Path,
    plan: dict[str, Any],
    processes: Processes,
    capfd: pytest.CaptureFixture[str],
) -> None:
    process, address = scheduler(processes)
    worker_of(address, processes)
    (tmp_path / "plan.toml").write_text(plan_of(plan).text)
    folder = tmp_path / "d"

    def end() -> None:
        awaited(lambda: list(folder.glob("games/*.parquet")))
        process.kill()

    threading.Thread(target=end).start()
    line = ("run", "--plan", str(tmp_path / "plan.toml"), "--out", str(folder))
    code, _, err = mancalab(capfd, *line, "--cluster", address)
    assert code == 1
    *_, hint, said = err.splitlines()
    assert hint.endswith(f"--plan {folder}/plan.toml --out {folder} --cluster {address}")
    assert said == f"mancalab: cluster {address}: the scheduler is gone"


def test_a_shard_that_no_worker_survives_is_a_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my.py").write_text("import os\ndef f(position):\n    os.kill(os.getpid(), 9)\n")
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}):
        line = ("run", "kalah", "--agent", "my.py:f", "--games", "9", "--out", "d")
        code, _, err = mancalab(capfd, *line, "--cluster", "local:1")
    assert code == 1
    said = "mancalab: cluster local:1: 2 workers were lost one after the other with the same shard"
    assert err.splitlines()[-1].startswith(said)
    assert all(line.startswith("mancalab: ") for line in err.splitlines()), err
    assert not hidden_files(Path("d"))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (["--cluster", "local:0"], "--cluster local:0: give local:N with N from 1 to 1024"),
        (["--cluster", "local:"], "--cluster local:: give local:N"),
        (["--cluster", "what://x"], "--cluster what://x: no Dask scheduler answers there"),
        (["--cluster", "local:2", "--threads", "2"], "--threads and --cluster are both given"),
    ],
)
def test_options_that_are_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: list[str], says: str
) -> None:
    assert says in refused(mancalab(capsys, "run", "kalah", "--out", str(tmp_path / "d"), *line))
    assert not (tmp_path / "d").exists()


def test_without_dask_the_line_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "pipelines.cluster")
    monkeypatch.delitem(sys.modules, "pipelines.worker")
    monkeypatch.setitem(sys.modules, "distributed", None)
    line = ("run", "kalah", "--out", str(tmp_path / "d"), "--cluster", "local:2")
    assert "Dask is not installed: pip install 'mancalab[cluster]'" in refused(
        mancalab(capsys, *line)
    )
    assert "10,000 games" in mancalab(capsys, *line, "--dry-run")[1]


def test_a_worker_has_to_see_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "SEEN_SECONDS", 0.0)
    terms = Terms.of(tmp_path / "probe")
    assert terms.complaint() == (
        f"does not see {tmp_path}: --out has to be on storage that all workers share"
    )
    terms.probe.touch()
    assert terms.complaint() is None
    terms.probe.unlink()
    assert terms.complaint() is None  # once seen, it is not looked for again


@pytest.mark.parametrize("address", ["foo", "tcp://", "http://127.0.0.1:80", "tcp://127.0.0.1:1"])
def test_an_address_of_no_scheduler_is_a_line_at_once(tmp_path: Path, address: str) -> None:
    done = subprocess.run(
        [*clusters.COMMAND, "run", "kalah", "--out", str(tmp_path / "d"), "--cluster", address],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert f"--cluster {address}: no Dask scheduler answers there: give its address" in line
