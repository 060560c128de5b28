"""A run's sign of life: a small file in the dataset, by which `status` tells how fast it goes."""

import contextlib
import json
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic, time

from pipelines.files import write_text
from pipelines.places import is_remote
from pipelines.remote import StoreError

NAME = ".progress"  # which `files.is_leftover` knows
EVERY, EVERY_REMOTE = 2.0, 10.0  # seconds between two signs; a store is not for many small files


@dataclass(frozen=True)
class Sign:
    """Games done in this run and about how many it has to do, games a second, and when that was."""

    done: int
    total: int
    rate: float
    at: float

    @property
    def left(self) -> float | None:
        """Seconds that it takes from then on, about, if that can be said."""
        return max(0, self.total - self.done) / self.rate if self.rate > 0 else None


class Pulse:
    """Writes signs of life into a dataset's folder, now and then; safe to use from threads."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._start = monotonic()
        self._every = EVERY_REMOTE if is_remote(folder) else EVERY
        self._told = -self._every
        self._lock = threading.Lock()

    def beat(self, done: int, total: int) -> None:
        """Say how far the run is, unless that was just said; it need not succeed."""
        with self._lock:
            now = monotonic()
            if now - self._told < self._every:
                return
            self._told = now
            sign = Sign(done, total, done / max(now - self._start, 1e-9), time())
            with contextlib.suppress(OSError, StoreError):
                write_text(self._path, json.dumps(asdict(sign)))

    def end(self) -> None:
        """Leave no sign behind."""
        with self._lock, contextlib.suppress(OSError, StoreError):
            self._path.unlink(missing_ok=True)


def read_sign(folder: Path) -> Sign | None:
    """Return the last sign of the run that is at work on a dataset, if it can be read."""
    try:
        return Sign(**json.loads((folder / NAME).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
