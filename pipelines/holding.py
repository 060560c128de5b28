"""Who may write into a folder: one process at a time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from pipelines.lease import busy, is_leased, leasing
from pipelines.places import is_remote
from sim.errors import UserError


def is_held(folder: Path) -> bool:
    """Whether a process is at work on a dataset."""
    if is_remote(folder):
        return is_leased(folder)
    if not (folder / ".lock").exists():
        return False
    try:
        with FileLock(folder / ".lock", timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False  # a folder that only may be read


@contextmanager
def holding(folder: Path) -> Iterator[Callable[[], None]]:
    """Keep others from writing into a folder, which is made where there is none.

    The lock is the system's: that of a process that died is gone. A remote folder is leased.
    Yields what raises `UserError` where a lease was lost. Raises `UserError` while another process
    is at work there.
    """
    if is_remote(folder):
        with leasing(folder) as check:
            yield check
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: no folder can be made there: {error.strerror}") from None
    try:
        with FileLock(folder / ".lock", timeout=1):  # longer than `is_held` takes to look
            yield lambda: None
    except Timeout:
        raise busy(folder) from None
