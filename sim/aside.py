"""Long work beside the main thread, which stays free for progress, a time limit and Ctrl-C.

Compiled code does not hear of an interrupt before it returns.
"""

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from time import monotonic
from typing import TypeVar

T = TypeVar("T")
LOOK_SECONDS = 0.1


def aside(
    work: Callable[[], T],
    watch: Callable[[], None],
    stop: Callable[[], None],
    seconds: float = float("inf"),
) -> "Future[T]":
    """Do work in a thread, and return it once it is done or its time is up.

    Meanwhile `watch` is called ten times a second. `stop`, which is always called at the end, has
    to see to it that work ends soon by itself: nothing waits for it here.

    >>> aside(lambda: 6 * 7, lambda: None, lambda: None).result()
    42
    """
    until = monotonic() + seconds
    try:
        # A daemon: the process may leave before a long step is through.
        future = begun(work, daemon=True)
        while not future.done() and monotonic() < until:
            wait([future], timeout=min(LOOK_SECONDS, max(0.0, until - monotonic())))
            watch()
    finally:
        stop()
    return future


def begun(work: Callable[[], T], *, daemon: bool) -> "Future[T]":
    """Do work in a thread, and return at once what is to hold its result or what it raises.

    >>> begun(lambda: 6 * 7, daemon=False).result()
    42
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, daemon=daemon).start()
    return future
