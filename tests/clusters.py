"""Clusters of real processes, and a plan that takes them a while."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from played import files_of, run

from pipelines.cluster import Cluster

ROOT = Path(__file__).parents[1]
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
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """Starts processes, which end with the test; those that are `alone` do not find mancalab."""
    started: list[subprocess.Popen[str]] = []
    absent = tmp_path_factory.mktemp("absent")
    missing = "raise ModuleNotFoundError('No module named ' + repr(__name__), name=__name__)\n"
    for room in ("sim", "pipelines", "reports"):  # wherever this environment has them installed
        (absent / f"{room}.py").write_text(missing)

    def start(*command: str, alone: bool = False, **options: Any) -> "subprocess.Popen[str]":
        quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        environment = os.environ | {"PYTHONPATH": str(absent if alone else ROOT)}
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
        "0", "--no-dashboard", stdout=subprocess.DEVNULL, alone=True,
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


def workers() -> list[int]:
    """Return the worker processes that this one has started and that are alive."""
    tasks = Path("/proc/self/task").iterdir()
    ours = (int(word) for task in tasks for word in (task / "children").read_text().split())
    return [pid for pid in ours if "dask_worker" in Path(f"/proc/{pid}/cmdline").read_text()]


def awaited(what: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait until something is so; return it."""
    end = time.monotonic() + seconds
    while not (so := what()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return so
