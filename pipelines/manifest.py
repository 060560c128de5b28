"""The manifest: one line a committed shard, and the same in the shard's own footer."""

import importlib.metadata
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ArrowException

from pipelines.cells import SEMANTICS
from pipelines.files import checksum, write_text
from pipelines.logs import LEVELS
from pipelines.places import source
from pipelines.shards import Shard, Span
from sim.errors import UserError

NAME = "manifest.jsonl"
FOOTER = "mancalab.shard"
"""The footer's key under which a shard file carries its row, but for `bytes` and `checksum`."""


_SEALED = ("bytes", "checksum", "statistics")
_CONTENT = ("file", "rows", "moves", "seed", "log", "versions", "spans")
_MOST = 2**63 - 1


class Seal(NamedTuple):
    """A file's size in bytes, and `sha256:HEX` of them."""

    size: int
    checksum: str


@dataclass(frozen=True)
class Row:
    """A committed shard: its file relative to the dataset, and what the file holds.

    `size` in bytes and `checksum` (`sha256:HEX`) are those of the whole file, `statistics` are
    those of the file of statistics beside it, if that is known; `rows` counts games, `moves`
    plies, `log` says what is kept of them, `versions` what played and wrote the games.
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
    statistics: Seal | None = None

    @property
    def bare(self) -> bool:
        """Whether no row of its games is kept: its file is that of their statistics."""
        return self.log == "none"

    @property
    def statistics_file(self) -> str:
        """The file of its statistics, relative to the dataset."""
        return f"stats/{Path(self.file).name}"

    @property
    def shard(self) -> Shard:
        """The shard that the file is."""
        return Shard(self.seed, self.log, self.spans)

    @property
    def line(self) -> str:
        """The manifest's line."""
        whole = {"file": self.file, "bytes": self.size, "checksum": self.checksum}
        beside = self.statistics and {
            "bytes": self.statistics.size, "checksum": self.statistics.checksum
        }  # fmt: skip
        return _compact(whole | self._content | {"statistics": beside}) + "\n"

    @property
    def footer(self) -> str:
        """What the file's own footer says: all that is known before the file is complete."""
        return _compact(self._content)

    @property
    def _content(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _CONTENT}

    @classmethod
    def parse(cls, text: str | bytes) -> "Row":
        """Parse a manifest's line. Raises `ValueError` where it is none."""
        data = _object(text, (*_SEALED, *_CONTENT))
        size, digest = _seal(data)
        beside = data["statistics"]
        if not isinstance(beside, dict | None):
            raise ValueError("its statistics are no object")
        seal = None if beside is None else _seal({"bytes": None, "checksum": None} | beside)
        return replace(cls._parsed(data), size=size, checksum=digest, statistics=seal)

    @classmethod
    def parse_footer(cls, text: str | bytes) -> "Row":
        """Parse a footer, with `size` 0 and no `checksum`. Raises `ValueError` where it is none."""
        return cls._parsed(_object(text, _CONTENT))

    @classmethod
    def _parsed(cls, data: dict[str, Any]) -> "Row":
        if not isinstance(data["versions"], dict):
            raise ValueError("its versions are no object")
        spans = _spans(data["spans"])
        if _number(data, "rows", 1) != sum(span.games for span in spans):
            raise ValueError("its rows are not the games of its spans")
        return cls(
            file=_text(data, "file", r"(games|stats)/[^/.\0][^/\0]*\.parquet"),
            rows=data["rows"],
            moves=_number(data, "moves", 0),
            size=0,
            checksum="",
            seed=_number(data, "seed", 0),
            log=_text(data, "log", "|".join(map(re.escape, LEVELS))),
            versions=data["versions"],
            spans=spans,
        )


def _object(text: str | bytes, names: Sequence[str]) -> dict[str, Any]:
    """Parse a JSON object that has these entries and no others."""
    try:
        data = json.loads(text)
    except RecursionError:
        raise ValueError("no shard's row: nested too deeply") from None
    if isinstance(data, dict) and "statistics" in names:
        data.setdefault("statistics", None)  # lines of 0.1.0 had none
    if not isinstance(data, dict) or data.keys() != set(names):
        raise ValueError(f"no shard's row: it must have {', '.join(names)}")
    return data


def _seal(data: Mapping[str, Any]) -> Seal:
    digest = _text(data, "checksum", r"sha256:[0-9a-f]{64}")
    return Seal(_number(data, "bytes", 1), digest)


def _number(data: Mapping[str, Any], name: str, least: int) -> int:
    value = data[name]
    if type(value) is not int or not least <= value <= _MOST:  # `True` is an `int` too
        raise ValueError(f"its {name} is no number of them")
    return value


def _text(data: Mapping[str, Any], name: str, pattern: str) -> str:
    value = data[name]
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        raise ValueError(f"its {name} is not such")
    return value


def _spans(value: Any) -> tuple[Span, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError("its spans are no list")
    spans = []
    for part in value:
        if not isinstance(part, list) or [type(item) for item in part] != [str, int, int]:
            raise ValueError("a span is not [cell, first, games]")
        span = Span(*part)
        if not (re.fullmatch("[0-9a-f]{32}", span.cell) and span.first >= 0 and span.games >= 1):
            raise ValueError("a span has no games of a cell")
        spans.append(span)
    return tuple(spans)


def versions() -> dict[str, Any]:
    """Return what plays and writes games here: equal ones write equal files."""
    return {"engine": SEMANTICS, "mancalab": _version("mancalab"), "pyarrow": pa.__version__}


def row_of(shard: Shard, moves: int) -> Row:
    """Return a shard's row as its footer holds it."""
    return Row(
        shard.file, shard.games, moves, 0, "", shard.seed, shard.log, versions(), shard.spans
    )


def sealed(row: Row, path: Path) -> Row:
    """Return a row with the size and checksum of its file."""
    size, digest = seal_of(path)
    return replace(row, size=size, checksum=digest)


def seal_of(path: Path) -> Seal:
    """Return the size and checksum of a file."""
    return Seal(path.stat().st_size, checksum(path))


def read_footer(path: Path) -> Row:
    """Read the row in a shard file's footer. Raises `ValueError` where there is none."""
    try:
        metadata = pq.read_metadata(source(path)).metadata or {}
    except (ArrowException, OSError) as error:
        raise ValueError(f"not a readable Parquet file ({_first_line(error)})") from None
    if FOOTER.encode() not in metadata:
        raise ValueError("its footer holds no shard's row")
    return Row.parse_footer(metadata[FOOTER.encode()])


def read_manifest(folder: Path) -> list[Row]:
    """Read the manifest, in the order of commits; a torn last line does not count.

    A line that is there twice counts once. Raises `UserError` where another line is damaged, or
    says something else of a file than one before.
    """
    path = folder / NAME
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
    rows: dict[str, Row] = {}
    for number, line in enumerate(lines[:-1], 1):  # what follows the last newline is torn
        try:
            row = Row.parse(line)
            if rows.setdefault(row.file, row) != row:
                raise ValueError("another line has this file otherwise")
        except ValueError:
            raise UserError(
                f"{path}: line {number} is damaged: remove the line, then the next run reads it"
                " from the shard itself"
            ) from None
    return list(rows.values())


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
