"""The source of players of one's own: a Python file, known by a hash of its bytes."""

from __future__ import annotations

import hashlib
import sys
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

from sim.errors import UserError, brief, did_you_mean, guarded

HEX_DIGITS = 8  # of the hash: they tell a file from its own other versions

_KNOWN: dict[str, Source] = {}


@dataclass(frozen=True)
class Source:
    """A file's name, its text, and where it was read from: None if it lay in a plan."""

    file: str
    text: str
    path: Path | None = None
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
    """Held while one of its functions is at work: games are played by several threads, and what a
    user writes need not be made for that."""

    def __reduce__(self) -> tuple[type[Source], tuple[str, str, Path | None]]:
        return Source, (self.file, self.text, self.path)  # the lock stays, where threads are others

    @cached_property
    def seal(self) -> str:
        """The first digits of the hash of the file's bytes."""
        return hashlib.blake2b(self.text.encode()).hexdigest()[:HEX_DIGITS]

    @property
    def shown(self) -> str:
        """How messages name it."""
        return brief(str(self.path or self.file), 200)

    def function(self, name: str) -> Callable[..., Any]:
        """Return one of its functions; the file runs when the first one is asked for.

        Raises `UserError` where it does not run, or has no such function.
        """
        with self.lock:
            names = vars(self._module)
        found = names.get(name)
        if callable(found):
            return found  # type: ignore[no-any-return]
        if found is not None:
            raise UserError(f"{self.shown}: '{name}' is no function: give one as my_file.py:name")
        known = [k for k, value in names.items() if callable(value) and not k.startswith("_")]
        raise UserError(
            f"{self.shown}: there is no function '{brief(name)}'{did_you_mean(name, known)}; it"
            f" has {', '.join(known) or 'none'}"
        )

    def line_of(self, error: BaseException) -> str:
        """Say where in the file an error came up, and which: `my.py:7: ValueError: no pit`."""
        trace, line = error.__traceback__, None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.shown:
                line = trace.tb_lineno
            trace = trace.tb_next
        place = self.shown if line is None else f"{self.shown}:{line}"
        words = brief(guarded(str, error), 200)
        return f"{place}: {type(error).__name__}{': ' if words else ''}{words}"

    @cached_property
    def _module(self) -> types.ModuleType:
        try:
            code = compile(self.text.encode(), self.shown, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
            what = error.msg if isinstance(error, SyntaxError) else str(error)
            raise UserError(f"{self.shown}{line}: not valid Python: {what}") from None
        module = types.ModuleType(f"mancalab_player_{self.seal}")
        module.__file__ = self.shown
        sys.modules[module.__name__] = module  # where dataclasses, for one, look for it
        try:
            exec(code, vars(module))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a file may raise, `SystemExit` too
            raise UserError(f"{self.line_of(error)}: the file must run without errors") from None
        return module


def read_source(path: Path) -> Source:
    """Read a file. Raises `UserError` where it cannot be read."""
    name = brief(str(path), 200)
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{name}: not a UTF-8 text file") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"{name}: cannot be read: {reason}") from None
    return known_source(Source(PurePath(path).name, text, path))


def known_source(source: Source) -> Source:
    """Keep a source so that players find it by its seal; return it, or its equal kept before."""
    held = _KNOWN.get(source.seal)
    if held == source:
        return held
    _KNOWN[source.seal] = source
    return source


def source_of(seal: str) -> Source | None:
    """Return the source of a seal, if this process has read it."""
    return _KNOWN.get(seal)
