"""A Dask cluster of this machine: a scheduler in this process, and workers that are processes."""

import logging
import os
import subprocess
import sys
from contextlib import AbstractContextManager, ExitStack, suppress
from types import TracebackType
from typing import Self

from distributed import LocalCluster

END_SECONDS = 3.0  # that processes get to end by themselves
ALONE_SECONDS = 60  # that they wait for a scheduler


class Processes(AbstractContextManager["Processes"]):
    """Workers of one thread each, as many as `number`, that end with this process.

    Dask's own nannies lose a worker for good that is killed while it starts; and a terminal's
    Ctrl-C would go to their processes too, before the run has ended what they are at.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._running: list[subprocess.Popen[bytes]] = []
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        scheduler = LocalCluster(
            n_workers=0,
            threads_per_worker=1,
            host="127.0.0.1",
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            silence_logs=logging.CRITICAL,
        )
        with ExitStack() as stack:
            stack.enter_context(scheduler)
            stack.callback(self._end)
            self.address: str = scheduler.scheduler_address
            self.tend()
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def tend(self) -> None:
        """Start processes in place of those that were killed.

        Raises `ConnectionError` where one ended by itself, for so would the next one.
        """
        for process in self._running:
            if (process.poll() or 0) > 0:
                raise ConnectionError(f"a worker process ended with exit code {process.returncode}")
        self._running = [process for process in self._running if process.poll() is None]
        while len(self._running) < self._number:
            self._running.append(_started(self.address))

    def _end(self) -> None:
        for process in self._running:
            process.terminate()
        for process in self._running:
            with suppress(subprocess.TimeoutExpired):
                process.wait(END_SECONDS)
            process.kill()
            process.wait()


def _started(address: str) -> "subprocess.Popen[bytes]":
    options = ["--nthreads", "1", "--memory-limit", "0", "--no-nanny", "--no-dashboard"]
    # One that this process, when it was killed, had not spoken to yet would ask for it for ever.
    options += ["--death-timeout", str(ALONE_SECONDS)]
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_worker", address, *options],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
