"""The one way in which this package compiles, and where compiled code is kept."""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numba
import platformdirs
from filelock import FileLock, Timeout
from numba.core.caching import FunctionCache
from numba.extending import overload

F = TypeVar("F", bound=Callable[..., Any])


def cache_home() -> Path:
    """Return the folder under which all that can be worked out again is kept."""
    base = os.environ.get("MANCALAB_CACHE_DIR")
    return Path(base) if base else Path(platformdirs.user_cache_dir("mancalab"))


def cache_folder() -> Path:
    """Return the folder for this very source under these very versions.

    Numba looks at the time stamp of the file that it compiles, not of the files whose functions
    that one calls; so the folder's name holds a hash of every source file of the package.
    """
    seal = hashlib.blake2b(digest_size=12)
    for file in sorted(Path(__file__).parent.glob("*.py")):
        seal.update(file.name.encode() + b"\0" + file.read_bytes())
    for name in ("numba", "llvmlite", "numpy"):
        seal.update(f"{name} {version(name)}".encode())
    # Homes are shared by machines: code for one processor is none for another.
    cpu = f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    seal.update(f"{sys.version} {sys.platform} {cpu}".encode())
    folder = cache_home() / f"kernel-{seal.hexdigest()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        # A read-only home: compile once a machine start rather than once a command.
        return Path(tempfile.gettempdir()) / f"mancalab-{os.getuid()}" / folder.name


FOLDER = cache_folder()
vars(numba.config)["CACHE_DIR"] = str(FOLDER)


class _SafeCache(FunctionCache):
    """Numba's cache, for processes that save at once: it names files after what it finds there."""

    def save_overload(self, signature: Any, data: Any) -> None:
        with suppress(OSError, Timeout), FileLock(FOLDER / "saving.lock", timeout=60):
            super().save_overload(signature, data)


# Reference counting is off: it costs a move more than sowing does, and nothing here owns an
# array. Wrappers for C and Python callers take half the time of compiling a small function.
COMPILED: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
}
INLINED: dict[str, Any] = {**COMPILED, "forceinline": True, "no_cpython_wrapper": True}


def jit(function: F) -> F:
    """Compile for whole batches: no GIL, no bounds checks, kept on disk."""
    compiled: Any = numba.njit(**COMPILED)(function)
    compiled._cache = _SafeCache(function)  # what `cache=True` does with Numba's own
    return cast("F", compiled)


def inlined(function: F) -> F:
    """Compile into the callers: the small steps of a move, whose call would cost more than they."""
    compiled: F = numba.njit(**INLINED)(function)
    return compiled


def chosen_by_type(stub: Callable[..., Any]) -> Callable[[F], F]:
    """Let the decorated function choose what a call of `stub` compiles to.

    It is given the types of the arguments and returns a function with the same parameters, which
    is compiled into the caller.
    """

    def register(choose: F) -> F:
        options: Any = INLINED
        overload(stub, jit_options=options)(choose)
        return choose

    return register
