"""Runs on the workers of a cluster: real processes that come, go and are killed."""

import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import dask.config
import pytest
from command import mancalab, refused
from played import files_of, hidden_files, plan_of, run

from pipelines import cluster as clusters
from pipelines import shards, sweep, worker
from pipelines.cluster import Cluster
from pipelines.dataset import open_dataset
from pipelines.worker import Terms

ROOT = Path(__file__).parents[2]
ALONE: dict[str, Any] = {"env": os.environ | {"PYTHONPATH": ""}, "cwd": "/"}
"""For processes that do not find mancalab."""
COMMAND = [sys.executable, "-c", "from pipelines.cli import main; main()"]

Processes = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a player of one's own, which leaves the number of its process in `seen`."""
    home = tmp_path_factory.mktemp("home")
    (home / "seen").mkdir()
    (home / "my.py").write_text(
        "import os\nfrom pathlib import Path\n"
        f"Path({str(home / 'seen')!r}, str(os.getpid())).touch()\n"
        "def draws(position):\n    return position.random.choice(position.legal)\n"
    )
    return home


@pytest.fixture(scope="module")
def plan(home: Path) -> dict[str, Any]:
    """A plan of some fourteen shards, each of which takes a good part of a second."""
    agents = [[f"{home}/my.py:draws"] * 2]
    return {"games": 1200, "grid": {"variant": "kalah", "board.pits": [3, 4, 5], "agents": agents}}


@pytest.fixture(scope="module")
def serial(plan: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return files_of(run(tmp_path_factory.mktemp("serial") / "d", plan, threads=1))


@pytest.fixture
def seen(home: Path) -> Callable[[], set[int]]:
    for path in (home / "seen").iterdir():
        path.unlink()
    return lambda: {int(path.name) for path in (home / "seen").iterdir()} - {os.getpid()}


@pytest.fixture
def processes() -> Iterator[Processes]:
    """Starts processes, which end with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(*command: str, **options: Any) -> "subprocess.Popen[str]":
        quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        started.append(subprocess.Popen(command, **{"env": environment} | quiet | options))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def scheduler(processes: Processes) -> "tuple[subprocess.Popen[str], str]":
    """Start a scheduler, which does not know mancalab; return it and its address."""
    process = processes(
        sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port",
        "0", "--no-dashboard", stdout=subprocess.DEVNULL, **ALONE,
    )  # fmt: skip
    assert process.stderr
    for line in process.stderr:
        if found := re.search(r"Scheduler at:\s*(tcp://\S+)", line):
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return process, found[1]
    raise AssertionError("the scheduler does not start")


def worker_of(address: str, processes: Processes, **options: Any) -> "subprocess.Popen[str]":
    return processes(
        sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1",
        "--no-nanny", "--no-dashboard", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        **options,
    )  # fmt: skip


class Watched(Cluster):
    """Calls `then` behind each row, and adds up the progress."""

    then: Callable[[int], None] = staticmethod(lambda _: None)

    def run(self, jobs: Any, work: Any, progress: Any) -> Generator[Any]:
        self.counted = 0

        def count(games: int) -> None:
            self.counted += games
            progress(games)

        with closing(super().run(jobs, work, count)) as rows:
            for number, row in enumerate(rows, 1):
                yield row
                self.then(number)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "zombie" not in Path(f"/proc/{pid}/status").read_text()


def awaited(what: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait until something is so; return it."""
    end = time.monotonic() + seconds
    while not (so := what()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return so


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
    assert all(line.startswith("mancalab: ") for line in err.splitlines()), err
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
            victim = chance.choice(awaited(multiprocessing.active_children))
            victim.kill()
            killed.append(victim)

    with Watched("local:2", tmp_path / "d", lambda _: None) as executor:
        executor.then = kill
        sweep.run(plan_of(plan, games=games), tmp_path / "d", executor, lambda _: None)
    assert len(killed) == kills
    assert executor.counted == 3 * games
    assert not hidden_files(tmp_path / "d")
    expected = serial if kills == 2 else files_of(run(tmp_path / "s", plan, games=games))
    assert files_of(tmp_path / "d") == expected


def test_workers_come_late_and_a_second_run_goes_on(
    tmp_path: Path,
    plan: dict[str, Any],
    serial: dict[str, str],
    seen: Callable[[], set[int]],
    processes: Processes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clusters, "ALONE_SECONDS", 0.1)
    _, address = scheduler(processes)
    workers, notes = [], []

    def come(note: str) -> None:
        notes.append(note)
        workers.append(worker_of(address, processes))

    def come_too(number: int) -> None:
        if number == 1:
            workers.append(worker_of(address, processes))
            awaited(lambda: len(executor._client.nthreads()) == 2)

    with Watched(address, tmp_path / "d", come) as executor:
        executor.then = come_too
        sweep.run(plan_of(plan, games=800), tmp_path / "d", executor, lambda _: None)
        assert notes == [f"cluster {address} has no workers: waiting until one joins"]
        assert seen() == {process.pid for process in workers}
        assert executor.counted == 3 * 800
        executor.then = lambda _: None
        sweep.run(plan_of(plan), tmp_path / "d", executor, lambda _: None)
    run(tmp_path / "s", plan, games=800)
    run(tmp_path / "s", plan)
    assert files_of(tmp_path / "d") == files_of(tmp_path / "s")
    assert all(process.poll() is None for process in workers)  # they are not ours


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
    assert all(line.startswith("mancalab: ") for line in err.splitlines()), err
    assert seen()
    assert not any(map(alive, seen()))
    assert not hidden_files(folder)
    assert 0 < len(open_dataset(folder).rows) < len(serial)
    run(folder, plan)
    assert files_of(folder) == serial


def test_jobs_that_nobody_wants_any_more_end(
    tmp_path: Path, plan: dict[str, Any], seen: Callable[[], set[int]], processes: Processes
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


def test_what_is_wrong_with_a_cluster_is_a_line(
    tmp_path: Path,
    plan: dict[str, Any],
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
    worker_of(address, processes, **ALONE)
    Path("my.py").write_text("def f(position):\n    return position.legal[0]\n")
    said = refused(mancalab(capfd, *line[:2], "--out", "e", *line[4:], "9", "--agent", "my.py:f"))
    assert re.search(r"worker \S+ cannot read a job \(ModuleNotFoundError: .*\): install", said)

    process.kill()
    monkeypatch.setattr(clusters, "CONNECT_SECONDS", 1)
    said = refused(mancalab(capfd, *line, "9"))
    assert f"--cluster {address}: no Dask scheduler answers there: give its address" in said


def test_a_scheduler_that_is_lost_is_a_line(
    tmp_path: Path,
    plan: dict[str, Any],
    processes: Processes,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
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
    Path("my.py").write_text("import os\ndef f(position):\n    os._exit(1)\n")
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
    assert "Dask is not installed: pip install 'distributed" in refused(mancalab(capsys, *line))
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
