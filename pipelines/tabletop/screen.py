"""Lines out and in: in colour on a terminal, plain and with the answers repeated elsewhere."""

import contextlib
import io
import os
import sys
from collections.abc import Callable
from concurrent.futures import wait
from typing import TypeVar

from sim.aside import begun

INKS = {"lifted": "2", "sown": "32", "taken": "31", "last": "1;33", "legal": "1", "burnt": "2"}
"""By what is shown: what sets the colour in a terminal (ECMA-48, SGR)."""

PATIENCE, PAUSE = 0.5, 0.1  # seconds: before thinking is said to take long, between two looks

T = TypeVar("T")


def in_colour() -> bool:
    """Whether stdout is a terminal for which nobody has switched colours off (no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def ink(text: str, what: str) -> str:
    """Colour a text by what it shows, the blanks around it left out."""
    word = text.strip()
    return text.replace(word, f"\x1b[{INKS[what]}m{word}\x1b[0m") if word else text


def prepare() -> None:
    """Have input be read whatever bytes it holds, and lines be edited where they can be."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
        if sys.stdin.isatty():
            with contextlib.suppress(ImportError):  # no line editing where the system has none
                import readline  # noqa: F401


def read(prompt: str) -> str:
    """Return a line that is typed, `?` for what cannot be printed.

    Raises `EOFError` at the end of input.
    """
    if sys.stdin is None:  # closed by the caller (`<&-`)
        raise EOFError
    if sys.stdin.isatty() and sys.stdout.isatty():
        line = input(prompt)
    else:
        print(prompt, end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
    line = "".join(sign if sign.isprintable() else "?" for sign in line.rstrip("\r\n"))
    if not sys.stdin.isatty():  # a terminal has shown it already
        print(line)
    return line


def thought(work: Callable[[], T], words: str) -> T:
    """Return what `work` returns; say in the meantime what is done, should it take long.

    The work has a thread of its own, which Ctrl-C leaves behind: compiled code does not heed it.
    """
    answer = begun(work, daemon=True)
    if wait([answer], PATIENCE).not_done:
        with _telling(f"{words} …"):
            while wait([answer], PAUSE).not_done:
                pass  # in pieces, between which this thread sees an interruption
    return answer.result()


def _telling(words: str) -> contextlib.AbstractContextManager[object]:
    if not sys.stderr.isatty():
        return contextlib.nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(words)
