"""What a worker of a cluster does: it sees whether it fits, does a job, and says how far it is."""

import threading
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from distributed import Reschedule, Worker, get_worker

from pipelines.executors import Stopped, Work
from pipelines.manifest import versions
from sim.errors import UserError

TELL_SECONDS = 0.3  # between two reports of a job
HEED_SECONDS = 0.1  # between two looks at whether a job is wanted still
SEEN_SECONDS = 5.0  # that a new file may take to be seen by other machines

_fitting: set["Terms"] = set()
_lock = threading.Lock()


@dataclass(frozen=True)
class Terms:
    """What a worker has to share with the process that gives it jobs.

    `probe` is a file of that process's in the common folder, `versions` are as text.
    """

    versions: str
    probe: Path

    @classmethod
    def of(cls, probe: Path) -> "Terms":
        """Return this process's terms."""
        return cls(", ".join(f"{name} {version}" for name, version in versions().items()), probe)

    def complaint(self) -> str | None:
        """Say why this process does not fit, or return None. It is looked at once."""
        with _lock:
            if self in _fitting:
                return None
            mine = Terms.of(self.probe).versions
            if mine != self.versions:
                return f"has {mine}, this command {self.versions}: install the same versions there"
            start = monotonic()
            while not self.probe.is_file():
                if monotonic() - start > SEEN_SECONDS:
                    return (
                        f"does not see {self.probe.parent}: --out has to be on storage that all"
                        " workers share"
                    )
                sleep(0.1)
            _fitting.add(self)
            return None


@dataclass(frozen=True)
class Task:
    """A job as it travels: `number` names it in what is reported under `topic`."""

    work: Work[Any, Any]
    job: Any
    number: int
    topic: str
    terms: Terms


def do(task: Task) -> tuple[Any, str | None]:
    """Do a job in a worker; return its result, and what the user gave wrong.

    That is not raised: what is raised is tried again.
    """
    worker = get_worker()
    report = _Report(worker, task)
    try:
        if words := task.terms.complaint():
            return None, f"worker {worker.address} {words}"
        report.send()
        return task.work(task.job, report.tick, report.heed), None
    except UserError as error:
        return None, str(error)
    finally:
        report.over = True
        report.send()


class _Report:
    """Tells the client how far a job is, and the job whether it is wanted still."""

    def __init__(self, worker: Worker, task: Task) -> None:
        self._worker, self._task, self._key = worker, task, worker.get_current_task()
        self._done, self._told, self._heeded, self.over = 0, monotonic(), 0.0, False

    def send(self) -> None:
        """Send where the job stands: its number, what is done of it, and whether it is over."""
        self._told = monotonic()
        self._worker.log_event(self._task.topic, (self._task.number, self._done, self.over))

    def tick(self, count: int) -> None:
        """See `Tick`."""
        self._done += count
        if monotonic() - self._told > TELL_SECONDS:
            self.send()
        self.heed()

    def heed(self) -> None:
        """End a job that nobody wants any more, and leave one to others when the worker leaves."""
        if monotonic() - self._heeded < HEED_SECONDS:
            return
        self._heeded = monotonic()
        if self._worker.status.name in {"closing", "closed", "failed"}:
            raise Reschedule
        state = self._worker.state.tasks.get(self._key)
        if state is None or state.state == "cancelled":
            raise Stopped
