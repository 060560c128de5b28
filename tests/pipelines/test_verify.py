"""`mancalab verify`: finds what is wrong with a dataset, and says which file and game."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import mancalab
from made import packed, unpacked
from played import SMALL, plan_of, rows_of, run, small_shards  # noqa: F401

from pipelines import cell_games, checks, sample
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
    assert report == Report(2, 3 * SMALL // 2, moves, refereed=60, refereed_cells=3)
    code, out, _ = mancalab(capsys, "verify", str(folder))
    assert code == 0
    assert out == (
        f"{folder}: 2 shards, {3 * SMALL // 2:,} games\n{moves:,} moves replayed\n"
        "60 games of 3 cells by the referee as well\nall is as it should be\n"
    )


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


def test_a_damaged_file_is_a_fault_and_no_traceback(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = shards(folder)[0]
    whole = first.read_bytes()
    chosen = random.Random(5)
    damaged = [whole[:-4] + b"junk", b"", b"junk", whole[:-12] + bytes(12)]
    for _ in range(25):
        place = chosen.randrange(len(whole))
        damaged.append(whole[:place] + chosen.randbytes(60) + whole[place + 60 :])
    manifest = (folder / "manifest.jsonl").read_text()
    for data in damaged:
        first.write_bytes(data)
        for listed in (manifest, ""):  # of a shard that is not listed, nothing else is known
            (folder / "manifest.jsonl").write_text(listed)
            code, out, _ = mancalab(capsys, "verify", str(folder))
            assert f"FAULT games/{first.name}: " in out or not listed or f"{first}: " in out
            assert code == 1 or not listed


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
    ("name", "value"), [("score0", 1), ("turns", 2), ("reason", "no-move"), ("digest", 4)]
)
def test_a_figure_of_a_game_without_moves(
    tmp_path: Path, name: str, value: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = run(tmp_path / "bare", PLAN, output={"log": "games"}, seed=3)
    whole = f"games\n{3 * SMALL // 2:,} games without moves played anew\n60 games of"
    code, out, _ = mancalab(capsys, "verify", str(bare))
    assert (code, whole in out) == (0, True)

    def change(columns: dict[str, list[Any]]) -> None:
        columns[name][77] = value

    altered(shards(bare)[0], change)
    [found] = faults(bare)
    assert f": {name} is {value}, played anew it is " in found
    assert ": game 77 of cell " in found


def test_moves_in_a_shard_that_logs_none(tmp_path: Path) -> None:
    bare = run(tmp_path / "bare", PLAN, output={"log": "games"})

    def change(columns: dict[str, list[Any]]) -> None:
        columns["packed_moves"][5] = packed([0, 1])

    altered(shards(bare)[0], change)
    assert "from game 0 on, there are moves, though the shard logs none" in faults(bare)[0]


def test_rounds_that_are_none(tmp_path: Path) -> None:
    grid = {"variant": ["sungka"], "match.kind": ["sunog"], "match.max_rounds": [3]}
    match = run(tmp_path / "match", games=9, grid=grid)

    def change(columns: dict[str, list[Any]]) -> None:
        columns["packed_rounds"][5] = b"short"

    altered(shards(match)[0], change)
    [found] = faults(match)
    assert found.endswith("it cannot be read: its rounds are damaged")


def test_a_batch_may_bring_fewer_games_than_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = run(tmp_path / "bare", PLAN, output={"log": "games"})
    real = cell_games.play
    monkeypatch.setattr(
        cell_games, "play", lambda *given: real(*given[:4], min(given[4], 100), *given[5:])
    )
    assert faults(bare) == []


@pytest.mark.parametrize("log", ["moves", "games"])
def test_the_referees_sample_is_of_the_dataset_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: str
) -> None:
    """Long games too, and those after one that is wrong; whatever the threads do."""
    grid = {"variant": ["kalah", "sunka", "owari", "easy"]}
    folder = run(tmp_path / "d", games=2 * SMALL, grid=grid, output={"log": log})
    moves = {(row["cell"], row["game"]): row["plies"] for row in rows_of(folder).to_pylist()}
    cells = sorted({cell for cell, _ in moves})

    def refereed(threads: int) -> list[tuple[str, int]]:
        played: list[tuple[str, int]] = []

        def noted(pick: sample.Pick) -> list[str]:
            played.append((pick.cell.id, pick.row["game"]))
            return []

        with monkeypatch.context() as patch:
            patch.setattr(sample, "_faults", noted)
            report = verify(folder, Threads(threads))
        assert report.refereed == len(played)
        assert report.refereed_cells == len({cell for cell, _ in played})
        return played

    few = [(cell, game) for game in range(sample.GAMES) for cell in cells]
    assert refereed(1) == refereed(4) == few
    # Fewer moves than one game has: the first game of the first cell it is.
    monkeypatch.setattr(sample, "MOVES", 1)
    assert refereed(1) == refereed(3) == [(cells[0], 0)]
    monkeypatch.setattr(sample, "MOVES", 300)
    played = refereed(2)
    assert played[:4] == [(cell, 0) for cell in cells]
    assert sum(moves[game] for game in played[:-1]) < 300
    if log == "moves":
        monkeypatch.undo()

        def change(columns: dict[str, list[Any]]) -> None:
            columns["packed_moves"][0] = b""

        altered(shards(folder)[0], change)
        assert verify(folder, Threads(1)).refereed == 4 * sample.GAMES


def test_the_referee_finds_what_the_kernel_does_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "FIGURES", ())

    def change(columns: dict[str, list[Any]]) -> None:
        columns["laps"][19] += 1
        columns["laps"][20] += 1  # no part of the sample

    first = shards(folder)[0]
    altered(first, change)
    totals, found = faults(folder)
    assert ": its laps, laps_squared in the statistics are not what its games give" in totals
    assert found.startswith(f"games/{first.name}: game 19 of cell ")
    assert "the referee says " in found


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
        columns["packed_moves"][5] = packed(moves(unpacked(columns["packed_moves"][5])))

    altered(shards(folder)[0], change)
    [found] = faults(folder)
    assert found.startswith(f"games/{shards(folder)[0].name}: game 5 of cell ")
    assert says in found


@pytest.mark.parametrize("name", ["game", "pair", "seed", "cell", "packed_moves"])
def test_rows_that_are_not_what_the_shard_says(folder: Path, name: str) -> None:
    def change(columns: dict[str, list[Any]]) -> None:
        columns[name][3] = {"cell": "none", "packed_moves": None}.get(name, 12345)

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
    assert fault == f"{named} has other rules, agents or opening than its id"
    pq.write_table(table.slice(1), path)
    [fault] = faults(folder)
    assert fault == f"{named} of the plan is missing"
    path.write_text("mine")
    assert "cells.parquet: cannot be read" in faults(folder)[0]
    path.unlink()
    assert "cells.parquet: there is no such file" in faults(folder)[0]


@pytest.mark.parametrize(("column", "value"), [("variant", "hacked"), ("board_direction", "cw")])
def test_a_table_of_cells_that_is_not_the_plans(folder: Path, column: str, value: str) -> None:
    path = folder / "cells" / "cells.parquet"
    table = pq.read_table(path)
    columns = table.to_pydict()
    columns[column][1] = value
    pq.write_table(pa.table(columns, table.schema), path)
    [fault] = faults(folder)
    assert fault == f"cells/cells.parquet: cell {columns['cell'][1]} is not as the plan has it"


@pytest.mark.parametrize("name", ["cells/more.parquet", "other/some.parquet"])
def test_a_file_that_is_none_of_the_datasets(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    pq.write_table(pa.table({"n": [1]}), folder / name)
    assert faults(folder) == [f"{name}: no file of the dataset: move it away"]


def test_a_lost_manifest_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "manifest.jsonl").unlink()
    code, out, _ = mancalab(capsys, "verify", str(folder))
    assert code == 0
    assert "2 shards not in the manifest yet, so without a checksum" in out


def test_a_damaged_manifest_and_an_unfinished_plan(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "plan.toml").write_text(plan_of(PLAN, games=SMALL).text)
    code, out, _ = mancalab(capsys, "verify", str(folder))
    assert code == 0
    assert f"unfinished: {3 * SMALL // 2:,} games of its plan still to be played\n" in out
    whole = (folder / "manifest.jsonl").read_text()
    for change in ({"spans": []}, {"spans": [["x", 0, "1"]]}, {"rows": "7"}, {"file": 3}):
        line = json.dumps(json.loads(whole.splitlines()[0]) | change)
        (folder / "manifest.jsonl").write_text(f"{line}\n{whole}")
        assert "manifest.jsonl: line 1 is damaged" in faults(folder)[0]
    (folder / "manifest.jsonl").write_text("{}\n" + whole)
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
