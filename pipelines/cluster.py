"""Runs jobs on the workers of a Dask cluster, which come and go."""

import logging
import pickle
import re
import secrets
import socket
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Self

from distributed import Client, Future, KilledWorker
from distributed.comm import CommClosedError

from pipelines.executors import Job, Result, Work
from pipelines.processes import Processes
from pipelines.worker import Task, Terms, do
from sim.errors import UserError, brief

_PLACE = re.compile(r"(?:(?:tcp|tls)://)?([\w.-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})", re.ASCII)

AHEAD = 2
"""Jobs in flight for each thread of the workers: one at work and one at hand. A plan may have very
many, and a scheduler that holds them all is slow."""

RETRIES = 2  # of a job that raised: a disk may be full, or away, for a moment
CONNECT_SECONDS = 8
FETCH_SECONDS = 2.0  # that a result may take to arrive
LOOK_SECONDS = 1.0  # between two looks at who is there
ALONE_SECONDS = 5.0  # without workers before that is said
STOP_SECONDS = 5.0  # that jobs get to heed that they are to stop


class Cluster(AbstractContextManager["Cluster"]):
    """The workers of a Dask scheduler, or `local:N` processes of this machine. See `Executor`.

    They write into `folder`, which they have to see. It connects, or starts the processes, when it
    is entered, and raises `UserError` where there is no such scheduler. `tell` gets notes for the
    user.
    """

    def __init__(self, address: str, folder: Path, tell: Callable[[str], None]) -> None:
        self._address, self._folder, self._tell = address, folder.absolute(), tell
        self._stack = ExitStack()
        self._processes: Processes | None = None
        self._threads, self._looked = 0, 0.0
        self._seen: float | None = monotonic()  # when there was a worker last; None once told

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(_unlogged())
            address = self._address
            if address.startswith("local:"):
                self._processes = stack.enter_context(Processes(_number(address)))
                address = self._processes.address
            self._client = stack.enter_context(self._connected(address))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def run(
        self, jobs: Iterable[Job], work: Work[Job, Result], progress: Callable[[int], None]
    ) -> Generator[Result]:
        """Yield results as they come. See `Executor.run`.

        Work and jobs have to travel: they are pickled. What a worker that is lost was at goes to
        another one. Raises `UserError` for a worker that does not fit, and `ConnectionError` when
        the scheduler is lost.
        """
        topic, watch = f"mancalab-{secrets.token_hex(8)}", _Watch(progress)
        running: dict[str, Future[Any]] = {}
        done: SimpleQueue[Future[Any]] = SimpleQueue()
        with self._terms() as terms:
            self._client.subscribe_topic(topic, watch.hear)
            tasks = (Task(work, job, number, topic, terms) for number, job in enumerate(jobs))
            try:
                while True:
                    room = max(1, AHEAD * self._look()) - len(running)
                    for task in islice(tasks, max(0, room)):
                        future = self._submit(task)
                        running[future.key] = future
                        future.add_done_callback(done.put)
                    if not running:
                        return
                    if (future := _next(done)) is None:
                        continue
                    if (results := self._fetched(future)) is None:
                        future.add_done_callback(done.put)
                        continue
                    del running[future.key]
                    yield from results
            finally:
                if self._client.status == "running":  # else there is nobody to tell
                    self._stop(list(running.values()), watch)
                    self._client.unsubscribe_topic(topic)

    def _connected(self, address: str) -> Client:
        place = _PLACE.fullmatch(address)
        try:
            if place is None:
                raise ValueError(address)
            # Dask's own attempt leaves threads behind that fail noisily at the end.
            socket.create_connection((place[1].strip("[]"), int(place[2])), CONNECT_SECONDS).close()
            return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, OverflowError):
            raise UserError(
                f"--cluster {brief(self._address)}: no Dask scheduler answers there: give its"
                " address, such as tcp://host:8786, or local:N for N processes of this machine"
            ) from None

    def _submit(self, task: Task) -> "Future[Any]":
        key, packed = f"{task.topic}-{task.number}", pickle.dumps((do, task))
        return self._client.submit(_opener(), packed, key=key, pure=False, retries=RETRIES)

    def _fetched(self, future: "Future[Any]") -> list[Any] | None:
        """Return the one result of a job that is done, or None if it is not at hand (yet).

        A worker that is lost takes results along that were not fetched: those jobs are done anew.
        """
        try:
            result, wrong = future.result(timeout=FETCH_SECONDS)
        except TimeoutError:
            if future.status == "error":  # the job's own
                raise
            return None
        except KilledWorker as error:
            raise ConnectionError(
                f"cluster {self._address}: {error.allowed_failures + 1} workers were lost one after"
                " the other with the same shard: see their logs, they may lack memory"
            ) from None
        except (CancelledError, CommClosedError):
            raise self._lost() from None
        if wrong is not None:
            raise UserError(wrong)
        return [result]

    def _lost(self) -> ConnectionError:
        return ConnectionError(f"cluster {self._address}: the scheduler is gone")

    @contextmanager
    def _terms(self) -> Iterator[Terms]:
        """Have a file in the folder that workers must see."""
        probe = self._folder / f".probe-{secrets.token_hex(8)}.tmp"
        probe.write_bytes(b"")
        try:
            yield Terms.of(probe)
        finally:
            probe.unlink(missing_ok=True)

    def _look(self) -> int:
        """Return how many threads the workers have, as of a moment ago."""
        if monotonic() - self._looked < LOOK_SECONDS:
            return self._threads
        if self._processes:
            self._processes.tend()
        try:
            self._threads = sum(self._client.nthreads().values())
        except (OSError, AttributeError):  # the latter of a client that lost its scheduler
            raise self._lost() from None
        self._looked = monotonic()
        if self._threads:
            self._seen = self._looked
        elif self._seen is not None and self._looked - self._seen > ALONE_SECONDS:
            self._seen = None
            self._tell(f"cluster {self._address} has no workers: waiting until one joins")
        return self._threads

    def _stop(self, futures: "list[Future[Any]]", watch: "_Watch") -> None:
        """Cancel jobs, and give those at work the time to heed it."""
        if not futures:
            return
        with suppress(OSError, CancelledError):
            self._client.cancel(futures)
        end = monotonic() + STOP_SECONDS
        while watch.at_work and monotonic() < end:
            sleep(0.05)


class _Watch:
    """Hears from the workers how far their jobs are. A job that is done anew counts once."""

    def __init__(self, progress: Callable[[int], None]) -> None:
        self._progress = progress
        self._done: dict[int, int] = {}
        self.at_work: set[int] = set()

    def hear(self, event: tuple[float, tuple[int, int, bool]]) -> None:
        """Take a report. See `pipelines.worker`."""
        _, (number, done, over) = event
        (self.at_work.discard if over else self.at_work.add)(number)
        if (more := done - self._done.get(number, 0)) > 0:
            self._done[number] = done
            self._progress(more)


def _next(done: "SimpleQueue[Future[Any]]") -> "Future[Any] | None":
    with suppress(Empty):
        return done.get(timeout=LOOK_SECONDS)
    return None


def _opener() -> Callable[[bytes], tuple[Any, str | None]]:
    """Return a function that opens and does a packed task.

    It travels as its code, being none of this module's. So the scheduler need not know mancalab,
    and a worker that lacks it can say so: where either cannot read a task it ends the connection.
    """

    def opened(packed: bytes) -> tuple[Any, str | None]:
        import pickle

        from distributed import get_worker

        try:
            do, task = pickle.loads(packed)
        except Exception as error:
            worker = get_worker().address
            return None, (
                f"worker {worker} cannot read a job ({type(error).__name__}: {error}): install the"
                " same version of mancalab there"
            )
        done: tuple[Any, str | None] = do(task)
        return done

    return opened


def _number(address: str) -> int:
    """Return how many processes `local:N` asks for."""
    match = re.fullmatch(r"local:(\d{1,4})", address, re.ASCII)
    if match and 1 <= int(match[1]) <= 1024:
        return int(match[1])
    raise UserError(f"--cluster {brief(address)}: give local:N with N from 1 to 1024")


@contextmanager
def _unlogged() -> Iterator[None]:
    """Keep Dask's log off stderr, where it would write of workers that come and go."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
