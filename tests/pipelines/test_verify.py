"""`mancalab verify`: finds what is wrong with a dataset, and says which file and game."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import mancalab
from played import SMALL, plan_of, run, small_shards  # noqa: F401

from pipelines.executors import Threads
from pipelines.files import checksum
from pipelines.manifest import FOOTER, read_footer
from pipelines.schema import GAMES
from pipelines.verify import Report, verify

pytestmark = pytest.mark.usefixtures("small_shards")

PLAN: dict[str, Any] = {"games": SMALL // 2, "grid": {"variant": ["kalah", "sunka", "owari"]}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return run(tmp_path / "d", PLAN)


def faults(folder: Path) -> list[str]:
    return verify(folder, Threads(2)).faults


def shards(folder: Path) -> list[Path]:
    return sorted((folder / "games").iterdir())


def altered(path: Path, change: Callable[[dict[str, list[Any]]], None]) -> None:
    """Change values of a shard, and seal it as if nothing had happened."""
    columns, footer = pq.read_table(path).to_pydict(), read_footer(path).footer
    change(columns)
    with pq.ParquetWriter(path, GAMES) as file:
        file.write_table(pa.table(columns, GAMES))
        file.add_key_value_metadata({FOOTER: footer})
    manifest = path.parent.parent / "manifest.jsonl"
    lines = [json.loads(line) for line in manifest.read_text().splitlines()]
    for line in lines:
        if line["file"] == f"games/{path.name}":
            line |= {"bytes": path.stat().st_size, "checksum": checksum(path)}
    manifest.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_all_is_as_it_should_be(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = verify(folder, Threads(2))
    moves = sum(pq.read_table(path)["plies"].to_numpy().sum() for path in shards(folder))
    assert report == Report(2, 3 * SMALL // 2, moves, refereed=60)
    code, out, _ = mancalab(capsys, "verify", str(folder))
    assert code == 0
    assert out.endswith("all is as it should be\n")


@pytest.mark.parametrize(
    "document",
    [
        {"games": 30, "grid": {"variant": ["sungka"], "match.kind": ["sunog"],
                               "match.max_rounds": [3], "agents": [["greedy", "random"]]}},
        {"games": 30, "grid": {"variant": ["basic", "congkak", "kalah"], "board.pits": [9, 12]}},
        {"games": 30, "case": [{"variant": "kalah", "board.layout": [[0] * 6, [4] * 6]}]},
        {"games": 30, "grid": {"variant": ["kalah"]}, "output": {"log": "games"}},
    ],
    ids=["matches", "large boards", "over at once", "no moves"],
)  # fmt: skip
def test_all_kinds_of_games_pass(tmp_path: Path, document: dict[str, Any]) -> None:
    assert faults(run(tmp_path / "d", document)) == []


def test_a_flipped_byte_and_a_truncated_file(folder: Path) -> None:
    first, second = shards(folder)
    data = bytearray(first.read_bytes())
    data[len(data) // 2] ^= 1
    first.write_bytes(bytes(data))
    second.write_bytes(second.read_bytes()[:-100])
    found = faults(folder)
    assert f"games/{first.name}: its bytes have changed: the checksum differs" in "\n".join(found)
    assert f"games/{second.name}: the file has " in "\n".join(found)
    assert all(first.name in fault or second.name in fault for fault in found)


def test_every_flipped_byte_is_found(folder: Path) -> None:
    first = shards(folder)[0]
    whole = first.read_bytes()
    for place in range(5, len(whole), len(whole) // 9):
        first.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        assert any(fault.startswith(f"games/{first.name}: its bytes") for fault in faults(folder))


def test_a_missing_shard(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gone = shards(folder)[1]
    gone.unlink()
    assert faults(folder) == [f"games/{gone.name}: the file is missing"]
    assert mancalab(capsys, "verify", str(folder))[0] == 1


def test_a_shard_of_another_plan(folder: Path, tmp_path: Path) -> None:
    for name, change in (
        ("seed", {"seed": 9}),
        ("games", {"games": SMALL}),
        ("cell", {"grid": {"variant": ["easy"]}}),
    ):
        other = run(tmp_path / name, PLAN, **change)
        foreign = shards(other)[-1]
        (folder / "games" / foreign.name).write_bytes(foreign.read_bytes())
        found = faults(folder)
        assert f"games/{foreign.name}: a shard of another plan: " in found[0], name
        (folder / "games" / foreign.name).unlink()
    assert faults(folder) == []


def test_a_shard_under_another_name_and_a_file_that_is_none(folder: Path) -> None:
    first = shards(folder)[0]
    (folder / "games" / "copy.parquet").write_bytes(first.read_bytes())
    (folder / "games" / "text.parquet").write_text("mine")
    assert [fault.split(": ", 1)[1] for fault in faults(folder)] == [
        f"a copy of games/{first.name}: move it away",
        "no shard of a dataset: not a readable Parquet file (Parquet file size is 4 bytes, smaller"
        " than the minimum file footer (8 bytes)): move it away",
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("score0", 1), ("score1", 1), ("winner", None), ("plies", 1), ("turns", 2), ("laps", 3),
        ("reason", "no-move"), ("digest", 4), ("rounds", 2),
    ],
)  # fmt: skip
def test_a_figure_that_the_moves_do_not_give(folder: Path, name: str, value: Any) -> None:
    def change(columns: dict[str, list[Any]]) -> None:
        assert columns[name][77] != value
        columns[name][77] = value

    first = shards(folder)[0]
    cell, game = (pq.read_table(first)[column][77].as_py() for column in ("cell", "game"))
    altered(first, change)
    found = faults(folder)
    assert len(found) == 1
    assert found[0].startswith(f"games/{first.name}: game {game} of cell {cell} (")
    assert f": {name} is {value}, its moves give " in found[0]


@pytest.mark.parametrize(
    ("moves", "says"),
    [
        (lambda moves: [*moves[:9], 11, *moves[10:]], "ply 10 is illegal"),
        (lambda moves: [*moves, 0], " is illegal"),
        (lambda moves: moves[:-1], "its moves do not end it"),
        (lambda moves: [], "its moves do not end it"),
    ],
)
def test_moves_that_are_no_game(
    folder: Path, moves: Callable[[list[int]], list[int]], says: str
) -> None:
    def change(columns: dict[str, list[Any]]) -> None:
        columns["move_list"][5] = moves(columns["move_list"][5])

    altered(shards(folder)[0], change)
    [found] = faults(folder)
    assert found.startswith(f"games/{shards(folder)[0].name}: game 5 of cell ")
    assert says in found


@pytest.mark.parametrize("name", ["game", "pair", "seed", "cell", "move_list"])
def test_rows_that_are_not_what_the_shard_says(folder: Path, name: str) -> None:
    def change(columns: dict[str, list[Any]]) -> None:
        columns[name][3] = {"cell": "none", "move_list": None}.get(name, 12345)

    altered(shards(folder)[0], change)
    assert faults(folder)[0].startswith(f"games/{shards(folder)[0].name}: ")


def test_columns_or_a_footer_of_something_else(folder: Path) -> None:
    first, second = shards(folder)
    table = pq.read_table(first)
    pq.write_table(table.drop_columns("laps"), first)
    pq.write_table(pq.read_table(second).replace_schema_metadata(None), second)
    text = "\n".join(faults(folder))
    assert f"games/{first.name}: it cannot be read: its columns are not those" in text
    assert f"games/{second.name}: its footer holds no shard's row" in text


def test_games_that_are_there_twice(folder: Path, tmp_path: Path) -> None:
    run(folder, PLAN, games=SMALL)
    small = run(tmp_path / "small", PLAN, games=5)
    [double] = shards(small)
    (folder / "games" / double.name).write_bytes(double.read_bytes())
    found = faults(folder)
    assert len(found) == 3
    assert all("5 games of cell " in fault and "in another shard too" in fault for fault in found)


def test_the_table_of_cells(folder: Path) -> None:
    path = folder / "cells" / "cells.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[0]["seeds"] += 1
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)
    [fault] = faults(folder)
    named = f"cells/cells.parquet: cell {rows[0]['cell']}"
    assert fault == f"{named} has other rules or agents than its id"
    pq.write_table(table.slice(1), path)
    [fault] = faults(folder)
    assert fault == f"{named} of the plan is missing"
    path.write_text("mine")
    assert "cells.parquet: cannot be read" in faults(folder)[0]
    path.unlink()
    assert "cells.parquet: there is no such file" in faults(folder)[0]


def test_a_damaged_manifest_and_an_unfinished_plan(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "plan.toml").write_text(plan_of(PLAN, games=SMALL).text)
    code, out, _ = mancalab(capsys, "verify", str(folder))
    assert code == 0
    assert f"unfinished: {3 * SMALL // 2:,} games of its plan are still to be played\n" in out
    (folder / "manifest.jsonl").write_text("{}\n" + (folder / "manifest.jsonl").read_text())
    [fault] = faults(folder)
    assert fault.endswith(
        "manifest.jsonl: line 1 is damaged: remove the line, then the next run reads it from the"
        " shard itself"
    )


def test_no_dataset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        code, out, err = mancalab(capsys, "verify", str(folder))
        assert (code, out) == (2, "")
        assert err.startswith(f"mancalab: {folder}: ")
