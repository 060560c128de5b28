"""Files and folders in a remote store, by fsspec."""

import contextlib
import errno
import io
import logging
import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

from sim.errors import UserError

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_BLOCK = 1 << 23
"""Bytes that are asked for at once where a file is read from its beginning to its end."""


class StoreError(Exception):
    """A store, or the way to it, fails; `reason` says how, without the URL.

    It is no `OSError`: what such a failure hides is neither missing nor damaged.
    """

    def __init__(self, place: object, error: BaseException) -> None:
        self.reason = _line(error)
        super().__init__(f"{place}: the store fails: {self.reason}")


class Stat(NamedTuple):
    """What `Remote.stat` tells: the size in bytes."""

    st_size: int


class Remote:
    """A file or folder in a remote store: the part of `pathlib.Path` that the project uses.

    There are no folders but those that files lie in, and no file is ever seen in part. A file that
    is not there is a `FileNotFoundError` to what reads it; all else that a store or the way to it
    has against a request is a `StoreError`, never an answer. Pickled, it is its URL.
    """

    def __init__(self, url: str, store: "AbstractFileSystem") -> None:
        self._url, self._store = url, store

    def __reduce__(self) -> tuple[Any, ...]:
        return remote_at, (self._url,)

    def __str__(self) -> str:
        return self._url

    def __repr__(self) -> str:
        return f"Remote({self._url!r})"

    def __hash__(self) -> int:
        return hash(self._url)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Remote) and self._url == other._url

    def __lt__(self, other: "Remote") -> bool:
        return self._url < other._url

    def __truediv__(self, name: "str | Path") -> "Remote":
        return Remote(f"{self._url}/{name}", self._store)

    def at(self, url: str) -> "Remote":
        """Return another place in the same store."""
        return Remote(url, self._store)

    @property
    def name(self) -> str:
        """The last part of the URL."""
        return self._url.rpartition("/")[2]

    @property
    def parent(self) -> "Remote":
        """The folder that it lies in."""
        return Remote(self._url.rpartition("/")[0], self._store)

    @property
    def scheme(self) -> str:
        """The URL's beginning, which names the kind of store."""
        return self._url.partition("://")[0]

    def resolve(self) -> "Remote":
        """Return itself: a URL is written in one way only."""
        return self

    def absolute(self) -> "Remote":
        """Return itself: a URL is of no folder in which a process stands."""
        return self

    def relative_to(self, folder: "Remote") -> str:
        """Return what follows a folder's URL in this one's."""
        return self._url.removeprefix(f"{folder}/")

    def stat(self) -> Stat:
        """Return the size of a file."""
        return Stat(self._info()["size"])

    def exists(self) -> bool:
        """Whether there is a file or folder of this name."""
        return self._kind() is not None

    def is_file(self) -> bool:
        """Whether it is a file."""
        return self._kind() == "file"

    def is_dir(self) -> bool:
        """Whether files lie in it."""
        return self._kind() == "directory"

    def is_symlink(self) -> bool:
        """Whether it is a link, which no store has."""
        return False

    def mkdir(self, *, parents: bool = False, exist_ok: bool = False) -> None:
        """Do nothing: a folder comes with its first file."""

    def entries(self) -> dict[str, dict[str, Any]]:
        """Return what lies in a folder by name, as fsspec describes it; nothing in none."""
        with contextlib.suppress(FileNotFoundError), self._asking():
            found = self._store.ls(self._url, detail=True)
            named = {entry["name"].rstrip("/").rpartition("/")[2]: entry for entry in found}
            # A file is listed as lying in itself, and an empty object may stand for a folder.
            own = self._store._strip_protocol(self._url)
            return {n: e for n, e in named.items() if e["name"].rstrip("/") != own}
        return {}

    def iterdir(self) -> "Iterator[Remote]":
        """Yield what lies in a folder."""
        return (self / name for name in self.entries())

    def glob(self, pattern: str) -> "Iterator[Remote]":
        """Yield the files whose names, from this folder on, match one by one."""
        first, _, rest = pattern.partition("/")
        for name, entry in self.entries().items():
            if fnmatchcase(name, first) and entry["type"] == ("directory" if rest else "file"):
                yield from (self / name).glob(rest) if rest else [self / name]

    def read_range(self, start: int | None, stop: int | None) -> bytes:
        """Return the bytes from `start` to before `stop`, by one request."""
        with self._asking():
            return bytes(self._store.cat_file(self._url, start=start, end=stop))

    def read_bytes(self) -> bytes:
        """Return a file's bytes."""
        return self.read_range(None, None)

    def read_text(self, encoding: str) -> str:
        """Return a file's text."""
        return self.read_bytes().decode(encoding)

    def open(self, mode: str = "rb") -> IO[bytes]:
        """Open a file to read it from its beginning to its end."""
        if mode != "rb":
            raise ValueError(f"a remote file opens for reading only: {mode}")
        return io.BufferedReader(self.ranges(), _BLOCK)

    def ranges(self) -> "Ranges":
        """Open a file to read parts of it."""
        return Ranges(self, self.stat().st_size)

    def write_bytes(self, data: bytes) -> None:
        """Put a file, whole."""
        with self._asking():
            self._store.pipe_file(self._url, data)

    def create(self, data: bytes) -> bool:
        """Put a file unless there is one of this name; return whether it was put."""
        with self._asking():
            try:
                self._store.pipe_file(self._url, data, mode="create")
            except FileExistsError:
                return False
        return True

    def put(self, file: Path) -> None:
        """Put a file of this machine here, whole."""
        with self._asking():
            self._store.put_file(str(file), self._url)

    def unlink(self, *, missing_ok: bool = False) -> None:
        """Remove a file."""
        try:
            with self._asking():
                self._store.rm_file(self._url)
        except FileNotFoundError:
            if not missing_ok:
                raise

    def _kind(self) -> str | None:
        try:
            return str(self._info()["type"])
        except FileNotFoundError:
            return None

    def _info(self) -> dict[str, Any]:
        with self._asking():
            return dict(self._store.info(self._url))

    @contextlib.contextmanager
    def _asking(self) -> Iterator[None]:
        """Turn whatever a store's library raises into one of two errors that name the URL.

        Each library has exceptions of its own, of no common kind.
        """
        try:
            yield
        except FileNotFoundError as error:
            if self._lacks_bucket(error):
                raise StoreError(self, error) from error
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self._url) from error
        except Exception as error:
            raise StoreError(self, error) from error

    def _lacks_bucket(self, error: FileNotFoundError) -> bool:
        """Whether it is not a file or folder that is missing, but the bucket."""
        return "bucket" in str(error) and self._store._strip_protocol(self._url) not in str(error)


class Ranges(io.RawIOBase):
    """A remote file of which each reading asks for just the bytes that it wants.

    `size` is the file's in bytes, `tail` the last of these, if they are known.
    """

    def __init__(self, remote: Remote, size: int, tail: bytes = b"") -> None:
        super().__init__()
        self._remote, self._size, self._at = remote, size, 0
        self._tail, self._known = tail, size - len(tail)

    def readable(self) -> bool:
        """Whether it can be read: it can."""
        return True

    def seekable(self) -> bool:
        """Whether it can be read from anywhere: it can."""
        return True

    def tell(self) -> int:
        """Return where the next reading begins."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Say where the next reading begins."""
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as the file goes; return how many bytes that were."""
        stop = min(self._at + len(buffer), self._size)
        if stop <= self._at:
            return 0
        if self._at >= self._known:
            data = self._tail[self._at - self._known : stop - self._known]
        else:
            data = self._remote.read_range(self._at, stop)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def remote_at(url: str) -> Remote:
    """Return the place that a URL names. Raises `UserError` where its store's library is not."""
    return Remote(url, _store(url.partition("://")[0]))


def _store(scheme: str) -> "AbstractFileSystem":
    """Return the library's access to a kind of store, which keeps in mind no listing of folders.

    Where it is, and who may use it, the library's own settings say.
    """
    # A connection that breaks says so on stderr, too, with a traceback, after its `StoreError`.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    try:
        import fsspec

        return cast("AbstractFileSystem", fsspec.filesystem(scheme, use_listings_cache=False))
    except ImportError as error:
        mend = "pip install 'mancalab[s3]'" if scheme in ("s3", "s3a") else _line(error)
        raise UserError(f"{scheme}://: its library is not installed: {mend}") from None
    except ValueError:
        raise UserError(f"{scheme}://: no kind of store: give a folder, or s3://…") from None


def _line(error: BaseException) -> str:
    """Return what a library says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__
