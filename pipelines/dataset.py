"""A dataset's folder: what it holds, whose it is, and how an interrupted one is mended."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from pipelines import manifest
from pipelines.files import is_leftover, sizes
from pipelines.manifest import Row
from pipelines.places import check_reach, is_remote
from pipelines.plan import Plan, parse_plan
from pipelines.remote import StoreError
from pipelines.shards import Coverage, Shard, Span
from sim import toml
from sim.errors import UserError

PLAN = "plan.toml"

BETWEEN = 5.0
"""Seconds from one writing of a remote manifest to the next: it is put whole, for no store appends.
A shard in place counts before its line is there."""


@dataclass
class Dataset:
    """A dataset's committed shards, in no particular order.

    `notes` says, for the user, what was found amiss and mended.
    """

    folder: Path
    rows: list[Row]
    notes: list[str] = field(default_factory=list)
    _entered: float = field(default=float("-inf"), init=False, repr=False, compare=False)
    _waiting: bool = field(default=False, init=False, repr=False, compare=False)
    _check: Callable[[], None] = field(default=lambda: None, init=False, repr=False, compare=False)

    @property
    def coverage(self) -> Coverage:
        """Which games of which cells there are."""
        return Coverage(span for row in self.rows for span in row.spans)

    @property
    def games(self) -> int:
        """How many games there are."""
        return sum(row.rows for row in self.rows)

    @property
    def moves(self) -> int:
        """How many moves were played in them."""
        return sum(row.moves for row in self.rows)

    def logged(self, log: str) -> int:
        """How many games there are of which a run with `--log` so keeps what it keeps."""
        return sum(row.rows for row in self.rows if row.log == log)

    @property
    def size(self) -> int:
        """The bytes of the committed shards and their statistics."""
        present = sizes_of(self.folder)
        files = {name for row in self.rows for name in (row.file, row.statistics_file)}
        return sum(present.get(name, 0) for name in files)

    @contextmanager
    def committing(self, check: Callable[[], None]) -> Iterator[None]:
        """Have all lines in the manifest at the end. `check` is what `holding` yields."""
        self._check = check
        try:
            yield
        except BaseException:
            with suppress(StoreError, UserError):  # a shard counts without its line, too
                self._enter()
            raise
        self._enter()

    def commit(self, row: Row) -> None:
        """Enter a shard whose file is in place. Raises `UserError` where others took over."""
        self._check()
        self.rows.append(row)
        if not is_remote(self.folder):
            manifest.append(self.folder, row)
            return
        self._waiting = True
        if monotonic() - self._entered >= BETWEEN:
            self._enter()

    def _enter(self) -> None:
        """Put a remote manifest with the lines that wait."""
        if self._waiting:
            self._check()
            manifest.rewrite(self.folder, self.rows)
            self._entered, self._waiting = monotonic(), False


def open_dataset(folder: Path) -> Dataset:
    """Open a dataset for reading. Raises `UserError` where there is none.

    A shard that is in place counts, whether its line has reached the manifest or not; a line
    whose file is gone does not.
    """
    _check_name(folder)
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder; `mancalab run --out` makes one")
    if not (folder / PLAN).is_file():
        raise UserError(f"{folder}: no dataset: it has no {PLAN}; give a folder of `run --out`")
    present = sizes_of(folder)
    rows = [row for row in manifest.read_manifest(folder) if row.file in present]
    return Dataset(folder, rows + [adopted(path) for path in unlisted(folder, rows)])


def sizes_of(folder: Path) -> dict[str, int]:
    """Return the size in bytes of each file of games or statistics, by its name in the folder."""
    found = {room: sizes(folder / room) for room in ("games", "stats")}
    return {f"{room}/{name}": size for room, files in found.items() for name, size in files.items()}


def read_plans(folder: Path) -> list[Plan]:
    """Read a dataset's plan, or the plans of the datasets that were merged into it."""
    _check_name(folder)
    document = toml.read(folder / PLAN)
    return [parse_plan(part, str(folder / PLAN), folder) for part in _parts(document, folder)]


def is_merged(folder: Path) -> bool:
    """Whether a dataset holds several plans, merged, which no run continues."""
    return "merged" in toml.read(folder / PLAN)


def stops(dataset: Dataset) -> bool:
    """Whether a dataset's plan has `[stop]`: results decided how many games there are."""
    path = dataset.folder / PLAN
    if b"stop]" not in path.read_bytes():  # a plan may be long
        return False
    return any("stop" in part for part in _parts(toml.read(path), dataset.folder))


def _parts(document: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    parts = document.get("merged", [document])
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise UserError(f"{folder / PLAN}: merged must be written [[merged]], once for each plan")
    return parts


def check_target(folder: Path, plan: Plan) -> None:
    """Refuse a folder into which a plan cannot go, without touching it.

    That is a file, a folder of other things, or a dataset of another plan: one with another
    seed or log, or with cells or games that this plan lacks.
    """
    if is_vacant(folder):
        return
    dataset = open_dataset(folder)
    held = [row.shard for row in dataset.rows]
    labels = {}
    if not has_text(folder / PLAN, plan.text):
        if is_merged(folder):
            raise UserError(
                f"{folder} holds merged plans, which no run continues: choose another --out"
            )
        [old] = read_plans(folder)
        if old.stop and not plan.stop:
            raise UserError(
                f"{folder} holds another plan: its cells stop by precision, as [stop] says, this"
                " plan's do not: choose another --out"
            )
        held.insert(0, Shard(old.seed, old.log, tuple(Span(c.id, 0, old.games) for c in old.cells)))
        labels = {cell.id: cell.label for cell in old.cells}
    for shard in held:
        if what := difference(shard, plan, labels):
            raise UserError(f"{folder} holds another plan: {what}: choose another --out")


def is_vacant(folder: Path) -> bool:
    """Whether a folder can become a dataset: it is not there or empty, killed beginnings apart.

    Raises `UserError` where it is a file, or holds other things.
    """
    _check_name(folder)
    if not folder.exists():
        return True
    if not folder.is_dir():
        raise UserError(f"{folder}: a file, not a folder: choose another --out")
    entries = [path for path in folder.iterdir() if not is_leftover(path)]
    if entries and not (folder / PLAN).is_file():
        raise UserError(
            f"{folder}: holds '{entries[0].name}' but no dataset: choose a new or empty folder"
        )
    return not entries


def _check_name(folder: Path) -> None:
    """Refuse a folder that cannot be reached, or whose name libraries cannot be given."""
    check_reach(folder)
    try:
        str(folder).encode("utf-8")
        os.fsencode(str(folder))
    except UnicodeEncodeError:
        raise UserError(
            f"{folder}: this name is not UTF-8 here: choose another folder, or set a UTF-8 locale"
            " (LC_ALL=C.UTF-8)"
        ) from None


def has_text(path: Path, text: str) -> bool:
    """Whether a file holds just this text."""
    return path.read_bytes() == text.encode("utf-8")


def damaged_file(dataset: Dataset) -> Path | None:
    """Return a file that is not as it was committed, by its checksum, or none.

    It reads all files: it serves to say more where reading one of them has failed.
    """
    for row in dataset.rows:
        seals = {row.statistics_file: row.statistics}
        if row.checksum:
            seals[row.file] = manifest.Seal(row.size, row.checksum)
        for name, seal in seals.items():
            path = dataset.folder / name
            if seal and path.is_file() and manifest.seal_of(path) != seal:
                return path
    return None


def unlisted(folder: Path, rows: Iterable[Row]) -> list[Path]:
    """Return the files that commit a shard and that no row of the manifest names, sorted."""
    listed = {name for row in rows for name in (row.file, row.statistics_file)}
    games = [f"games/{path.name}" for path in (folder / "games").glob("*.parquet")]
    # Statistics that lie beside rows commit nothing.
    beside = {f"stats/{Path(name).name}" for name in games} | listed
    stats = [f"stats/{path.name}" for path in (folder / "stats").glob("*.parquet")]
    bare = [name for name in stats if name not in beside and _is_bare(folder / name)]
    return [folder / name for name in sorted({*games, *bare} - listed)]


def _is_bare(path: Path) -> bool:
    """Whether a file of statistics commits a shard; one that cannot be read might have."""
    try:
        return manifest.read_footer(path).bare
    except ValueError:
        return True


def adopted(path: Path) -> Row:
    """Return the row of a shard file in place by its footer. Raises `UserError` if it is none."""
    try:
        row = manifest.read_footer(path)
    except ValueError as error:
        raise UserError(f"{path}: no shard of a dataset: {error}: move it away") from None
    if row.file != f"{path.parent.name}/{path.name}":
        raise UserError(f"{path}: a copy of {row.file}: move it away")
    return row


def difference(held: Shard, plan: Plan, labels: Mapping[str, str] = {}) -> str | None:
    """Say why games that a folder holds are none of a plan's, or return None."""
    lacking = next((span.cell for span in held.spans if span.cell not in plan.ids), None)
    most = max(span.stop for span in held.spans)
    if held.seed != plan.seed:
        return f"its seed is {held.seed}, this plan's {plan.seed}"
    if held.log != plan.log:
        return f"it logs {held.log}, this plan {plan.log}"
    if lacking:
        return f"it has {labels.get(lacking, f'cell {lacking}')}, which this plan lacks"
    if plan.stop is None and most > plan.games:  # else `Schedule` knows how many are the plan's
        return f"it has {most:,} games a cell, this plan {plan.games:,}"
    return None
