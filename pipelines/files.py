"""Files that appear whole or not at all."""

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pipelines.places import is_remote

_BLOCK = 1 << 20
_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`, which takes its place when the block succeeds.

    The temporary name is hidden and does not end as `path` does, so that no glob shows an
    unfinished file. No two are alike: a worker that was given up for lost may still be writing
    what another one writes anew. On an error nothing is left behind; `path` stays as it was. What
    is to be remote is a temporary file of this machine until it is put, whole.
    """
    if is_remote(path):
        with tempfile.TemporaryDirectory(prefix="mancalab-") as room:
            yield Path(room, path.name)
            path.put(Path(room, path.name))
        return
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        _sync(temporary)
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and not error.filename:
            # Libraries' errors do not name the file, as where a disk is full.
            raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
        raise
    _sync(path.parent)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, "utf-8")


def write_result(path: Path, text: str) -> None:
    """Write a text where the user wants it.

    A regular file appears whole or not at all, and what a link leads to is replaced, not the
    link, or put into a remote store. A device or a pipe is written into. `/dev/stdout`,
    `/dev/fd/N` and the like are this process's open files, which others may have written into
    before.
    """
    try:
        if (descriptor := _open_file(path)) is not None:
            with open(descriptor, "w", encoding="utf-8", closefd=False) as file:
                file.write(text)
        elif is_remote(path):
            path.write_bytes(text.encode())
        elif path.exists() and not path.is_file():
            with path.open("w", encoding="utf-8") as file:
                file.write(text)
        else:
            write_text(Path(os.path.realpath(path)), text)
    except OSError as error:
        error.filename = str(path)  # a device's says nothing, a temporary file's is not theirs
        raise


def _open_file(path: Path) -> int | None:
    """Return the number of the open file that a path means by its name."""
    if str(path) in _STREAMS:
        return _STREAMS[str(path)]
    match = re.fullmatch(r"(?:/dev|/proc/self)/fd/(\d{1,9})", str(path), re.ASCII)
    return int(match[1]) if match else None


def is_leftover(path: Path) -> bool:
    """Whether a file is what a killed process leaves: of `replacing`, a lock, a sign of life."""
    hidden = path.name.startswith(".") and path.name.endswith(".tmp")
    return hidden or path.name in {".lock", ".progress"}


def copy(path: Path, target: Path) -> None:
    """Copy a file, which appears whole or not at all."""
    with (
        replacing(target) as temporary,
        path.open("rb") as old,
        temporary.open("wb") as new,
    ):
        shutil.copyfileobj(old, new, _BLOCK)


def sizes(folder: Path) -> dict[str, int]:
    """Return the size in bytes of each Parquet file in a folder by its name."""
    if is_remote(folder):
        entries = folder.entries()
        return {name: entry["size"] for name, entry in entries.items() if name.endswith(".parquet")}
    return {path.name: path.stat().st_size for path in folder.glob("*.parquet") if path.is_file()}


def checksum(path: Path) -> str:
    """Return `sha256:HEX` of a file's bytes, the hex as `sha256sum` prints it."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def checksum_of(data: bytes) -> str:
    """Return the checksum of a file that has these bytes."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _sync(path: Path) -> None:
    """Have the system write a file, or a folder's entries, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
