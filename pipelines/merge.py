"""Merges datasets: each game once, large shards as they are, small ones into larger."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import tomlkit

from pipelines.cell_table import read_cells
from pipelines.cells import Cell
from pipelines.dataset import Dataset, is_vacant, open_dataset, read_plans
from pipelines.files import checksum, copy
from pipelines.holding import holding
from pipelines.logs import LEVELS, SEARCH
from pipelines.manifest import Row, sealed
from pipelines.mending import prepare
from pipelines.plan import Plan
from pipelines.reading import games_of, group_bounds, read_group
from pipelines.schema import schema_of, widened
from pipelines.shards import SMALLEST, Coverage, Shard, Span, pack, shard_games
from pipelines.statistics import (
    derive_statistics,
    is_current,
    read_statistics,
    spans_of,
    write_bare_shard,
)
from pipelines.writer import write_shard
from sim.errors import UserError

_HEAD = "# What was merged into this dataset, one [[merged]] a plan.\n\n"


@dataclass(frozen=True)
class Piece:
    """Games of a shard that is not taken whole: of one cell, in one file."""

    row: Row
    span: Span
    path: Path


def merge(sources: Sequence[Path], out: Path) -> tuple[Dataset, int]:
    """Merge datasets into a folder; return its dataset and how many games came in.

    A game is (cell, seed, game): one that several hold comes in once, with its moves if any has
    them. The folder may be new, or hold a dataset, which keeps all it has. Merging again
    changes nothing. Raises `UserError`, before anything is written, where a source is no dataset
    or is damaged, or has the moves of games that the folder holds without.
    """
    datasets = [open_dataset(source) for source in sources]
    if out.resolve() in {source.resolve() for source in sources}:
        raise UserError(f"--out {out} is one of the datasets to merge: choose another --out")
    kept = [] if is_vacant(out) else [out]
    text = _plan_text([plan for folder in [*kept, *sources] for plan in read_plans(folder)])
    cells: dict[str, Cell] = {}
    for folder in [*kept, *sources]:
        cells = read_cells(folder) | cells
    with holding(out) as check:
        held = open_dataset(out).rows if kept else []
        _check_kept(out, held, datasets)
        schema = _schema(out, held, datasets)
        whole, pieces = _plan_moves(held, datasets, schema)
        _check_sources(dict(whole) | {piece.path: piece.row for piece in pieces})
        merged = prepare(out, text, cells.values())
        before = merged.games
        with merged.committing(check):
            for path, row in whole:
                _copy(path, row, merged)
            size = shard_games(merged.games + sum(piece.span.games for piece in pieces))
            _rewrite(pieces, size, merged, schema)
    return merged, merged.games - before


def _plan_text(plans: Sequence[Plan]) -> str:
    """Return plans as one text, without those that another includes."""
    needed: list[Plan] = []
    for plan in plans:
        if any(_includes(other, plan) for other in needed):
            continue
        needed = [other for other in needed if not _includes(plan, other)] + [plan]
    if len(needed) == 1:
        return needed[0].text
    documents: list[Mapping[str, Any]] = [plan.document for plan in needed]
    return _HEAD + tomlkit.dumps({"merged": documents})


def _includes(plan: Plan, other: Plan) -> bool:
    same = (plan.seed, plan.log) == (other.seed, other.log)
    same = same and other.stop in (None, plan.stop)
    return same and plan.games >= other.games and plan.ids >= other.ids


def _check_kept(out: Path, held: Iterable[Row], datasets: Iterable[Dataset]) -> None:
    """Refuse sources of whose games the folder keeps less: that would be lost."""
    have: dict[tuple[int, str], Coverage] = {}
    for row in held:
        have.setdefault((row.seed, row.log), Coverage()).add(row.spans)
    for data in datasets:
        for log, less, what in (
            (SEARCH, LEVELS[1:], "searches"), ("moves", LEVELS[2:], "moves"),
            ("games", LEVELS[3:], "rows"),
        ):  # fmt: skip
            lost = 0
            for row in (row for row in data.rows if row.log == log):
                held_less = [have[row.seed, o] for o in less if (row.seed, o) in have]
                lost += sum(part.common(span) for part in held_less for span in row.spans)
            if lost:
                raise UserError(
                    f"{out}: holds {lost:,} games without {what} that {data.folder} has with"
                    f" {what}: merge into a new folder to keep them"
                )


def _check_sources(files: Mapping[Path, Row]) -> None:
    """Refuse shards that are not as they were committed: their rows would get a new checksum."""
    for path, row in files.items():
        if row.checksum and checksum(path) != row.checksum:
            raise UserError(f"{path}: damaged: its checksum is wrong; see `mancalab verify`")


def _schema(out: Path, held: Sequence[Row], datasets: Iterable[Dataset]) -> pa.Schema:
    """Return the schema of all of the folder's files: wider if any games come with searches.

    Refuse to bring such into a folder whose files are narrower, and stay as they are.
    """
    schema = schema_of(SEARCH if any(row.log == SEARCH for row in held) else "moves")
    for data in datasets:
        if data.logged(SEARCH) and schema != schema_of(SEARCH):
            if held:
                raise UserError(
                    f"{out}: logs no searches, and {data.folder} does: merge into a new folder"
                )
            schema = schema_of(SEARCH)
    return schema


def _plan_moves(
    held_rows: Iterable[Row], datasets: Iterable[Dataset], schema: pa.Schema
) -> tuple[list[tuple[Path, Row]], list[Piece]]:
    """Say which shards come in whole, and which pieces of others."""
    have: dict[int, Coverage] = {}
    for row in held_rows:
        have.setdefault(row.seed, Coverage()).add(row.spans)
    whole: list[tuple[Path, Row]] = []
    pieces: list[Piece] = []
    rows = [(data.folder / row.file, row) for data in datasets for row in data.rows]
    # What keeps most first, so that a game that is held several times comes in with its moves.
    for path, row in sorted(rows, key=lambda pair: (_place(pair[1]), pair[0].name)):
        held = have.setdefault(row.seed, Coverage())
        new = [part for span in row.spans for part in held.missing(span)]
        if row.bare:
            _check_whole(path, row, new)
        fits = row.bare or schema_of(row.log) == schema
        if tuple(new) == row.spans and row.rows >= SMALLEST and fits:
            whole.append((path, row))
        else:
            pieces += [Piece(row, part, path) for part in new]
        held.add(new)
    return whole, pieces


def _place(row: Row) -> tuple[int, int]:
    """Say when a shard's turn is; of those without rows the largest first, which hold others."""
    return LEVELS.index(row.log), -max(span.games for span in row.spans) if row.bare else 0


def _check_whole(path: Path, row: Row, new: Iterable[Span]) -> None:
    """Refuse a part of a span's statistics."""
    spans = set(row.spans)
    for part in new:
        if part not in spans:
            raise UserError(
                f"{path}: some of its games of cell {part.cell} come from elsewhere too, and its"
                " rows are not kept (--log none), so that its statistics cannot be taken apart:"
                " leave it out"
            )


def _copy(path: Path, row: Row, merged: Dataset) -> None:
    """Bring a shard in as it is, and its statistics with it."""
    copy(path, merged.folder / row.file)
    # One that its source's manifest does not list yet has no checksum.
    known = row if row.checksum else sealed(row, merged.folder / row.file)
    if not row.bare:
        statistics = path.parent.parent / row.statistics_file
        if row.statistics and is_current(statistics, row.statistics):
            copy(statistics, merged.folder / row.statistics_file)
        else:
            known = derive_statistics(known, merged.folder)
    merged.commit(known)


def _rewrite(pieces: Iterable[Piece], size: int, merged: Dataset, schema: pa.Schema) -> None:
    """Bring pieces in as new shards of `size` games, whose files have a schema."""

    def kind(piece: Piece) -> tuple[int, str]:
        return piece.row.seed, piece.row.log

    for (seed, log), alike in groupby(sorted(pieces, key=lambda p: (kind(p), p.span)), kind):
        group = list(alike)
        if log == "none":
            _rewrite_bare(group, seed, size, merged)
            continue
        reader = _Reader(group)
        for shard in pack((piece.span for piece in group), seed, log, size):
            batches = (rows for span in shard.spans for rows in reader.read(span))
            wide = (widened(rows, schema) for rows in batches)
            row = write_shard(shard, merged.folder, wide, schema)
            merged.commit(derive_statistics(row, merged.folder))


def _rewrite_bare(pieces: Sequence[Piece], seed: int, size: int, merged: Dataset) -> None:
    """Bring statistics in as new shards of about `size` games; a span's stay one row."""
    read = lru_cache(maxsize=16)(_rows_of_spans)
    taken: list[Piece] = []
    games = 0
    for place, piece in enumerate(pieces, 1):
        taken.append(piece)
        games += piece.span.games
        if games >= size or place == len(pieces):
            tables = []
            for part in taken:
                table, places = read(part.path)
                tables.append(table.slice(places[part.span], 1))
            shard = Shard(seed, "none", tuple(part.span for part in taken))
            table = pa.concat_tables(tables).unify_dictionaries()
            merged.commit(write_bare_shard(shard, merged.folder, table))
            taken, games = [], 0


def _rows_of_spans(path: Path) -> tuple[pa.Table, dict[Span, int]]:
    table = read_statistics(path)
    return table, {span: place for place, span in enumerate(spans_of(table))}


class _Reader:
    """Reads games of pieces, keeping the row groups last read, as many small cells share one."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._pieces: dict[str, list[Piece]] = {}
        for piece in pieces:  # sorted by game within each cell
            self._pieces.setdefault(piece.span.cell, []).append(piece)
        self._bounds = lru_cache(maxsize=1024)(group_bounds)
        self._group = lru_cache(maxsize=4)(read_group)

    def read(self, span: Span) -> Iterator[pa.RecordBatch]:
        """Yield the rows of games that lie in the pieces."""
        found = 0
        for piece in self._pieces[span.cell]:
            first, stop = max(span.first, piece.span.first), min(span.stop, piece.span.stop)
            if first < stop:
                for rows in self._read(piece.path, Span(span.cell, first, stop - first)):
                    found += rows.num_rows
                    yield rows
        if found != span.games:
            raise UserError(
                f"games of cell {span.cell} are missing in"
                f" {self._pieces[span.cell][0].path}: see `mancalab verify`"
            )

    def _read(self, path: Path, span: Span) -> Iterator[pa.RecordBatch]:
        for number, (low, high) in enumerate(self._bounds(path)):
            if low < (span.cell, span.stop) and (span.cell, span.first) <= high:
                yield games_of(self._group(path, number), span)
