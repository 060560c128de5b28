"""Runs a dataset's shards: where, and how many side by side."""

import os
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from itertools import islice
from typing import Protocol, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")

Tick = Callable[[int], None]
"""Told in a job how much more of it is done, now and then; it raises to end the job."""

Heed = Callable[[], None]
"""Called in a job more often than that; it raises to end the job."""

Work = Callable[[Job, Tick, Heed], Result]
"""What is done with a job."""


class Stopped(Exception):  # noqa: N818  (nothing is wrong)
    """Raised in a job to end it when the whole is stopped."""


class Executor(Protocol):
    """Runs jobs and yields their results as they come."""

    def run(
        self, jobs: Iterable[Job], work: Work[Job, Result], progress: Callable[[int], None]
    ) -> Generator[Result]:
        """Yield the result of each job, in the order in which they finish.

        `progress` is told what the jobs' ticks are, from whatever thread. When a job raises, or
        the consumer does, the running jobs are stopped before that exception goes on; their
        results are lost.
        """
        ...


class Threads:
    """Threads of this process, each with a job of its own. The kernel and the writer run
    without the interpreter's lock."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or available()
        self._stop = threading.Event()

    def run(
        self, jobs: Iterable[Job], work: Work[Job, Result], progress: Callable[[int], None]
    ) -> Generator[Result]:
        """Yield results as they come. See `Executor.run`."""

        def tick(done: int) -> None:
            progress(done)
            self.check()

        queue = (partial(work, job, tick, self.check) for job in jobs)
        with ThreadPoolExecutor(self.threads, "mancalab") as pool:
            try:
                running = {pool.submit(call) for call in islice(queue, self.threads)}
                while running:
                    done = self._await(running)
                    running -= done
                    running |= {pool.submit(call) for call in islice(queue, len(done))}
                    for future in done:
                        yield future.result()
            except BaseException:
                self._stop.set()
                raise

    def check(self) -> None:
        """Raise `Stopped` once the whole is being stopped."""
        if self._stop.is_set():
            raise Stopped

    @staticmethod
    def _await(running: set["Future[Result]"]) -> set["Future[Result]"]:
        """Return the futures that are done, one at least, open to interruptions meanwhile."""
        while True:
            done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
            if done:
                return done


def available() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
