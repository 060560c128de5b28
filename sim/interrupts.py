"""Ctrl-C while there is compiling: heard, wherever it comes."""

import _thread
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

UNHEARD = {"_raw_object_cache_notify", "_raw_object_cache_getbuffer", "__del__"}
"""Functions that LLVM and the interpreter call and out of which no exception comes.

LLVM calls the first as soon as a function is translated, and an interrupt waits for Python code to
run: so most of those that come meanwhile end up there.
"""
AGAIN_SECONDS = 0.02


@contextmanager
def heard() -> Iterator[None]:
    """Have an interrupt raise `KeyboardInterrupt` a little later where it would be ignored.

    >>> with heard():
    ...     print("compiling")
    compiling
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # who handles interrupts otherwise goes on to do so
        return
    waiting = threading.Event()

    def interrupted(number: int, frame: FrameType | None) -> None:
        if not _is_unheard(frame):
            signal.default_int_handler(number, frame)
        waiting.set()
        timer = threading.Timer(AGAIN_SECONDS, again)
        timer.daemon = True
        timer.start()

    def again() -> None:
        if waiting.is_set():
            _thread.interrupt_main()

    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
        if waiting.is_set():  # compiling was through before it came again
            raise KeyboardInterrupt
    finally:
        waiting.clear()
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_unheard(frame: FrameType | None) -> bool:
    """Whether an exception that is raised here goes nowhere."""
    while frame is not None:
        if frame.f_code.co_name in UNHEARD:
            return True
        frame = frame.f_back
    return False
