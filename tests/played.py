"""Datasets as `mancalab run` makes them, and what they hold."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from pipelines import merge, shards, sweep
from pipelines.executors import Threads
from pipelines.files import checksum
from pipelines.plan import Plan, parse_plan
from pipelines.schema import GAMES

QUICK: dict[str, Any] = {"games": 300, "grid": {"variant": ["kalah", "owari"]}}


SMALL = 1024
"""Games of the smallest shard under `small_shards`."""


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let datasets have several shards though they are small."""
    monkeypatch.setattr(shards, "SMALLEST", SMALL)
    monkeypatch.setattr(merge, "SMALLEST", SMALL)


def plan_of(document: Mapping[str, Any], **changes: Any) -> Plan:
    """Return the plan of TOML tables, some of them changed."""
    return parse_plan({**document, **changes}, "plan", Path())


def run(
    folder: Path, document: Mapping[str, Any] = QUICK, threads: int = 2, **changes: Any
) -> Path:
    """Run a plan into a folder; return it."""
    sweep.run(plan_of(document, **changes), folder, Threads(threads), lambda _: None)
    return folder


def rows_of(folder: Path) -> pa.Table:
    """Return all rows of a dataset, sorted by seed, cell and game, their dictionaries alike."""
    table = ds.dataset(sorted((folder / "games").glob("*.parquet")), GAMES).to_table()
    plain = pa.schema(
        [f.with_type(pa.string()) if pa.types.is_dictionary(f.type) else f for f in table.schema]
    )
    order = [(name, "ascending") for name in ("seed", "cell", "game")]
    return table.cast(plain).sort_by(order).combine_chunks()


def files_of(folder: Path) -> dict[str, str]:
    """Return every file of a folder with its checksum, hidden ones and the manifest apart."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name[0] != ".")
    return {
        str(path.relative_to(folder)): checksum(path)
        for path in files
        if path.name != "manifest.jsonl"  # its lines are in the order of commits
    }


def hidden_files(folder: Path) -> list[str]:
    """Return the names of leftovers in a dataset, which may hold a lock and no more."""
    return [path.name for path in folder.rglob(".*") if path.name != ".lock"]
