"""Progress on stderr: a bar in a terminal, a line now and then elsewhere."""

import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from time import monotonic
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

EVERY = 10.0  # seconds between two lines where there is no terminal


class Meter(AbstractContextManager["Meter"]):
    """Counts games done of `total`, `unit` being what they are called; safe to use from threads.

    Unless `shown`, it counts and says nothing. Both `total` and `lines`, which are shown beside
    the count, may change meanwhile; where there is no terminal the first line alone is printed.
    `heard` is told of every count how far it is.
    """

    def __init__(
        self,
        total: int,
        unit: str = "games",
        *,
        shown: bool = True,
        heard: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        self.total, self.unit, self.shown, self.done = total, unit, shown, 0
        self.lines: Sequence[str] = ()
        self._heard = heard
        self._lock = threading.Lock()
        self._start = self._told = monotonic()
        self._live: Live | None = None
        if shown and sys.stderr.isatty():
            self._bar = Progress(
                BarColumn(bar_width=16),
                TextColumn("{task.percentage:>3.0f} %"),
                TextColumn("{task.fields[words]}"),
                TimeRemainingColumn(elapsed_when_finished=True),
            )
            self._task = self._bar.add_task("", total=total, words="")
            self._live = Live(
                console=Console(stderr=True), get_renderable=self._drawn, transient=True
            )

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live:
            self._live.stop()

    def add(self, count: int) -> None:
        """Count some more."""
        with self._lock:
            self.done += count
            if self._live:
                self._bar.update(
                    self._task, completed=self.done, total=self.total, words=self._words()
                )
            elif self.shown and monotonic() - self._told >= EVERY:
                self._told = monotonic()
                print("; ".join([self.line(), *self.lines[:1]]), file=sys.stderr, flush=True)
        self._heard(self.done, self.total)

    def line(self) -> str:
        """Return progress as a line."""
        elapsed = monotonic() - self._start
        left = elapsed / max(self.done, 1) * max(0, self.total - self.done)
        share = 100 * self.done // max(self.total, 1)
        return f"{share:3} %, {self._words()}, {clock(left)} left"

    def _words(self) -> str:
        rate = self.done / max(monotonic() - self._start, 1e-9)
        return f"{self.done:,} of {self.total:,} {self.unit}, {rate:,.0f}/s"

    def _drawn(self) -> Group:
        return Group(
            self._bar, *(Text(line, no_wrap=True, overflow="ellipsis") for line in self.lines)
        )


class Ticker(AbstractContextManager["Ticker"]):
    """Shows where long work stands that has no end in sight: call it with a line, often."""

    def __init__(self) -> None:
        self._told = monotonic()
        self._status = Console(stderr=True).status("") if sys.stderr.isatty() else None

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._status:
            self._status.stop()

    def __call__(self, line: str) -> None:
        """Show a line, unless another one was just shown."""
        if self._status:
            self._status.update(line)
        elif monotonic() - self._told >= EVERY:
            self._told = monotonic()
            print(line, file=sys.stderr, flush=True)


def clock(seconds: float) -> str:
    """Return a time as hours, minutes and seconds.

    >>> clock(3723.4)
    '1:02:03'
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
