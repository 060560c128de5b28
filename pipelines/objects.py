"""Remote files as DuckDB reads them, without an extension of its own."""

from datetime import UTC, datetime
from typing import IO, Any, cast

from fsspec import AbstractFileSystem

from pipelines.remote import Ranges, Remote

TAIL = 1 << 16
"""Bytes at a file's end, with its footer in them mostly, which DuckDB reads piece by piece and anew
for each view and query: they are asked for once."""


class Objects(AbstractFileSystem):  # type: ignore[misc]  # which has no types
    """The remote files of one kind of store, for `connection.register_filesystem`.

    Files are named one by one, and taken for ones that do not change, as those of datasets.
    """

    cachable = False

    def __init__(self, folder: Remote) -> None:
        super().__init__(use_listings_cache=False)
        self.protocol, self._folder = folder.scheme, folder
        self._known: dict[str, tuple[int, bytes]] = {}

    def _strip_protocol(self, path: str) -> str:
        return path

    def unstrip_protocol(self, name: str) -> str:
        """Return a URL as it is."""
        return name

    def glob(self, path: str, **_: Any) -> list[str]:
        """Return the one file that a URL names, if it is there: no sign stands for others."""
        try:
            return [self.info(path)["name"]]
        except FileNotFoundError:
            return []

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Describe a file."""
        return {"name": path, "size": self._facts(path)[0], "type": "file"}

    def modified(self, path: str) -> datetime:
        """Say when a file was changed: long ago, so that DuckDB keeps what it has read of it."""
        return datetime.fromtimestamp(0, UTC)

    def open(self, path: str, mode: str = "rb", **_: Any) -> IO[bytes]:
        """Open a file for reading."""
        return cast("IO[bytes]", Ranges(self._folder.at(path), *self._facts(path)))

    def _facts(self, path: str) -> tuple[int, bytes]:
        """Return a file's size and tail."""
        if path not in self._known:
            size = self._folder.at(path).stat().st_size
            tail = self._folder.at(path).read_range(max(size - TAIL, 0), size)
            self._known[path] = size, tail
        return self._known[path]
