"""Files that appear whole or not at all."""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

_BLOCK = 1 << 20


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`, which takes its place when the block succeeds.

    The temporary name is hidden and does not end as `path` does, so that no glob shows an
    unfinished file. On an error nothing is left behind; `path` stays as it was.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        yield temporary
        _sync(temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync(path.parent)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, "utf-8")


def is_leftover(path: Path) -> bool:
    """Whether a file is what a killed process leaves of `replacing`, or a lock."""
    return path.name == ".lock" or (path.name.startswith(".") and path.name.endswith(".tmp"))


def checksum(path: Path) -> str:
    """Return `sha256:HEX` of a file's bytes, the hex as `sha256sum` prints it."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def _sync(path: Path) -> None:
    """Have the system write a file, or a folder's entries, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
