"""The manifest: one line a committed shard, and the same in the shard's own footer."""

import importlib.metadata
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ArrowException

from pipelines.cells import SEMANTICS
from pipelines.files import checksum, write_text
from pipelines.shards import Shard, Span
from sim.errors import UserError

NAME = "manifest.jsonl"
FOOTER = "mancalab.shard"
"""The footer's key under which a shard file carries its row, but for `bytes` and `checksum`."""


_KINDS = {
    "file": str, "rows": int, "moves": int, "size": int, "checksum": str, "seed": int, "log": str,
    "versions": dict,
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A committed shard: its file relative to the dataset, and what the file holds.

    `size` in bytes and `checksum` (`sha256:HEX`) are those of the whole file; `moves` counts
    plies, `log` says whether they are kept, `versions` what played and wrote the games.
    """

    file: str
    rows: int
    moves: int
    size: int
    checksum: str
    seed: int
    log: str
    versions: dict[str, Any]
    spans: tuple[Span, ...]

    @property
    def shard(self) -> Shard:
        """The shard that the file is."""
        return Shard(self.seed, self.log, self.spans)

    @property
    def line(self) -> str:
        """The manifest's line."""
        whole = {"file": self.file, "bytes": self.size, "checksum": self.checksum}
        return _compact(whole | self._content) + "\n"

    @property
    def footer(self) -> str:
        """What the file's own footer says: all that is known before the file is complete."""
        return _compact(self._content)

    @property
    def _content(self) -> dict[str, Any]:
        names = ("file", "rows", "moves", "seed", "log", "versions", "spans")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def parse(cls, text: str | bytes) -> "Row":
        """Parse a line or a footer. Raises `ValueError` where it is none."""
        try:
            data = json.loads(text)
            spans = tuple(Span(*span) for span in data.pop("spans"))
            size, digest = data.pop("bytes", 0), data.pop("checksum", "")
            row = cls(spans=spans, size=size, checksum=digest, **data)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"no shard's row: {error}") from None
        for name, kind in _KINDS.items():
            if not isinstance(getattr(row, name), kind):
                raise ValueError(f"no shard's row: its {name} is {getattr(row, name)!r}")
        if not spans or any([type(part) for part in span] != [str, int, int] for span in spans):
            raise ValueError("no shard's row: its spans are no games of cells")
        return row


def row_of(shard: Shard, moves: int) -> Row:
    """Return a shard's row as its footer holds it."""
    versions = {"engine": SEMANTICS, "mancalab": _version("mancalab"), "pyarrow": pa.__version__}
    return Row(shard.file, shard.games, moves, 0, "", shard.seed, shard.log, versions, shard.spans)


def sealed(row: Row, folder: Path) -> Row:
    """Return a row with the size and checksum of its file."""
    path = folder / row.file
    return replace(row, size=path.stat().st_size, checksum=checksum(path))


def read_footer(path: Path) -> Row:
    """Read the row in a shard file's footer. Raises `ValueError` where there is none."""
    try:
        metadata = pq.read_metadata(path).metadata or {}
    except (ArrowException, OSError) as error:
        raise ValueError(f"not a readable Parquet file ({_first_line(error)})") from None
    if FOOTER.encode() not in metadata:
        raise ValueError("its footer holds no shard's row")
    return Row.parse(metadata[FOOTER.encode()])


def read_manifest(folder: Path) -> list[Row]:
    """Read the manifest, in the order of commits; a torn last line does not count.

    Raises `UserError` where another line is damaged.
    """
    path = folder / NAME
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
    rows = []
    for number, line in enumerate(lines[:-1], 1):  # what follows the last newline is torn
        try:
            rows.append(Row.parse(line))
        except ValueError:
            raise UserError(
                f"{path}: line {number} is damaged: remove the line, then the next run reads it"
                " from the shard itself"
            ) from None
    return rows


def append(folder: Path, row: Row) -> None:
    """Add a row, and have it on the disk before returning."""
    with (folder / NAME).open("ab") as file:
        file.write(row.line.encode())
        file.flush()
        os.fsync(file.fileno())


def rewrite(folder: Path, rows: Iterable[Row]) -> None:
    """Replace the manifest."""
    write_text(folder / NAME, "".join(row.line for row in rows))


def is_torn(folder: Path) -> bool:
    """Whether the manifest's last line is incomplete."""
    path = folder / NAME
    text = path.read_bytes() if path.exists() else b""
    return bool(text) and not text.endswith(b"\n")


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"  # run from a checkout


def _compact(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))
