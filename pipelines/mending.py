"""Makes a folder a dataset, or mends what a kill, or a hand, left of one."""

from collections.abc import Iterable
from pathlib import Path

from pipelines import manifest
from pipelines.cell_table import write_cells
from pipelines.cells import Cell
from pipelines.dataset import PLAN, Dataset, adopted, has_text, sizes_of, unlisted
from pipelines.files import is_leftover, write_text
from pipelines.manifest import Row
from pipelines.statistics import derive_statistics, is_current
from sim.errors import UserError


def prepare(folder: Path, plan_text: str, cells: Iterable[Cell]) -> Dataset:
    """Make a folder the dataset of a plan and cells, or mend the one it is. Needs `holding`."""
    path, table = folder / PLAN, folder / "cells" / "cells.parquet"
    if not path.exists():
        write_text(path, plan_text)  # first: whatever else a kill leaves here is then a dataset
    for place in _places(folder):
        place.mkdir(exist_ok=True)
    sweep_out(folder)
    dataset = _mended(folder)
    grown = not has_text(path, plan_text)
    if grown or not table.exists():
        write_cells(folder, cells)
    if grown:
        write_text(path, plan_text)  # last: until then the folder is what it was
    return dataset


def sweep_out(folder: Path) -> None:
    """Remove what killed processes left in a dataset's folders. Needs `holding`."""
    for place in _places(folder):
        for left in place.iterdir():
            if is_leftover(left) and left.name != ".lock":
                left.unlink(missing_ok=True)  # of a worker that stops a little late


def _places(folder: Path) -> list[Path]:
    return [folder, folder / "games", folder / "stats", folder / "cells"]


def _mended(folder: Path) -> Dataset:
    """Bring the manifest, the shards in place and their statistics into agreement."""
    listed, present = manifest.read_manifest(folder), sizes_of(folder)
    rows, notes = [], []
    for row in listed:
        if row.file not in present:
            notes.append(f"{row.file} is gone: its {row.rows:,} games count as missing")
        elif (size := present[row.file]) != row.size:
            raise UserError(
                f"{folder / row.file}: damaged: it has {size:,} bytes of {row.size:,}: delete it,"
                " then the same command plays its games anew"
            )
        else:
            rows.append(row)
    found = [manifest.sealed(adopted(path), path) for path in unlisted(folder, rows)]
    mended = [_with_statistics(row, folder) for row in [*rows, *found]]
    if mended != listed or manifest.is_torn(folder):
        manifest.rewrite(folder, mended)
    names = {row.statistics_file for row in mended}
    for path in (folder / "stats").glob("*.parquet"):
        if f"stats/{path.name}" not in names:
            path.unlink()  # derived from games that are gone
    return Dataset(folder, mended, notes)


def _with_statistics(row: Row, folder: Path) -> Row:
    """Return a shard's row with its statistics, made anew from its rows where they are not whole.

    That is after a kill between the two files, and in datasets of versions without them.
    """
    if row.bare:
        return row
    path = folder / row.statistics_file
    if row.statistics and is_current(path, row.statistics):
        return row
    return derive_statistics(row, folder)
