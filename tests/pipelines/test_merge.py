"""`mancalab merge`: removes nothing, doubles nothing, and does nothing the second time."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import mancalab, refused
from played import SMALL, files_of, plan_of, rows_of, run, small_shards  # noqa: F401

from pipelines import merge as merging
from pipelines import sweep
from pipelines.cell_table import read_cells
from pipelines.dataset import read_plans
from pipelines.executors import Threads
from pipelines.files import checksum
from pipelines.manifest import read_manifest
from pipelines.merge import merge
from pipelines.plan import parse_plan
from pipelines.verify import verify
from sim.errors import UserError

pytestmark = pytest.mark.usefixtures("small_shards")

KALAH: dict[str, Any] = {"variant": ["kalah"]}
BOTH: dict[str, Any] = {"variant": ["kalah", "sunka"]}


def merged(sources: list[Path], out: Path) -> Path:
    merge(sources, out)
    assert verify(out, Threads(2)).faults == []
    return out


def test_overlapping_games_come_in_once(tmp_path: Path) -> None:
    one = run(tmp_path / "one", games=500, grid=KALAH)
    more = run(tmp_path / "more", games=300, grid=BOTH)
    other = run(tmp_path / "other", games=200, grid=KALAH, seed=1)
    out = merged([one, more, other, one], tmp_path / "out")
    rows = rows_of(out)
    keys = rows.select(["seed", "cell", "game"]).to_pylist()
    assert len({tuple(key.values()) for key in keys}) == len(keys) == 500 + 300 + 200
    wanted = {str(row) for folder in (one, more, other) for row in rows_of(folder).to_pylist()}
    assert {str(row) for row in rows.to_pylist()} == wanted
    assert read_cells(out).keys() == read_cells(more).keys()
    assert [plan.seed for plan in read_plans(out)] == [0, 0, 1]


def test_merging_again_changes_nothing(tmp_path: Path) -> None:
    sources = [
        run(tmp_path / "one", games=SMALL + 100, grid=KALAH),
        run(tmp_path / "two", games=300, grid=BOTH),
    ]
    out = merged(sources, tmp_path / "out")
    before = files_of(out) | {"manifest": (out / "manifest.jsonl").read_text()}
    for again in (sources, sources[::-1], sources[:1]):
        assert merge(again, out)[1] == 0
        assert files_of(out) | {"manifest": (out / "manifest.jsonl").read_text()} == before


def test_parts_of_one_plan_become_that_plan_and_go_on(tmp_path: Path) -> None:
    plan = plan_of({"games": 2 * SMALL, "grid": BOTH})
    whole = tmp_path / "whole"
    sweep.run(plan, whole, Threads(2), pytest.fail)
    parts = []
    for number, row in enumerate(read_manifest(whole)):
        if number == 2:
            continue
        part = tmp_path / str(number)
        (part / "games").mkdir(parents=True)
        (part / "cells").mkdir()
        for name in ("plan.toml", "cells/cells.parquet", row.file):
            (part / name).write_bytes((whole / name).read_bytes())
        (part / "manifest.jsonl").write_text(row.line)
        parts.append(part)
    out = merged(parts, tmp_path / "out")
    # Large shards come in as they are, byte for byte.
    assert files_of(out).items() <= files_of(whole).items()
    assert sweep.run(plan, out, Threads(1), pytest.fail).played == SMALL
    assert files_of(out) == files_of(whole)


def test_small_shards_become_larger_ones(tmp_path: Path) -> None:
    sources = [
        run(
            tmp_path / f"{pits}",
            games=40,
            grid={"variant": ["kalah", "owari"], "board.pits": [pits]},
        )
        for pits in (3, 4, 5, 6)
    ]
    out = merged(sources, tmp_path / "out")
    [row] = read_manifest(out)
    assert row.rows == 4 * 80
    grid = {"variant": ["kalah", "owari"], "board.pits": [3, 4, 5, 6]}
    assert rows_of(out).equals(rows_of(run(tmp_path / "whole", games=40, grid=grid)))


def test_into_a_dataset_that_keeps_all_it_has(tmp_path: Path) -> None:
    out = run(tmp_path / "out", games=100, grid=KALAH)
    before = files_of(out)
    merged([run(tmp_path / "more", games=100, grid={"variant": ["easy"]})], out)
    assert {k: v for k, v in files_of(out).items() if k in before and "games" in k} == {
        k: v for k, v in before.items() if "games" in k
    }
    assert rows_of(out).num_rows == 200
    with pytest.raises(UserError, match="holds merged plans"):
        run(out, games=100, grid=KALAH)


def test_games_with_moves_win_over_those_without(tmp_path: Path) -> None:
    bare = run(tmp_path / "bare", games=300, grid=KALAH, output={"log": "games"})
    full = run(tmp_path / "full", games=100, grid=KALAH)
    out = merged([bare, full], tmp_path / "out")
    rows = rows_of(out)
    assert [moves is not None for moves in rows["packed_moves"].to_pylist()] == [True] * 100 + [
        False
    ] * 200


def test_variants_from_files_stay_in_the_merged_plans(tmp_path: Path) -> None:
    for name, pits in (("a", 3), ("b", 4)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.toml").write_text(f"[board]\npits = {pits}\nseeds = 3\n")
    sources = []
    for name in "ab":
        plan = parse_plan({"games": 9, "grid": {"variant": ["mine.toml"]}}, "p", tmp_path / name)
        sources.append(tmp_path / f"d{name}")
        sweep.run(plan, sources[-1], Threads(1), pytest.fail)
    out = merged(sources, tmp_path / "out")
    assert [plan.cells[0].keys["board.pits"] for plan in read_plans(out)] == [3, 4]


def test_what_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = run(tmp_path / "one", games=50)
    full = tmp_path / "full"
    full.mkdir()
    (full / "thesis.tex").write_text("mine")
    out = str(tmp_path / "out")
    said = refused(mancalab(capsys, "merge", str(one), str(tmp_path / "no"), "--out", out))
    assert "there is no such folder" in said
    assert "no dataset" in refused(mancalab(capsys, "merge", str(full), "--out", out))
    assert "holds 'thesis.tex'" in refused(mancalab(capsys, "merge", str(one), "--out", str(full)))
    said = refused(mancalab(capsys, "merge", str(one), "--out", str(tmp_path / "x" / ".." / "one")))
    assert "is one of the datasets to merge" in said
    assert not Path(out).exists()


@pytest.mark.parametrize(
    ("games", "held"), [(SMALL, 0), (100, 0), (SMALL, 50)], ids=["whole", "small", "partly taken"]
)
def test_a_damaged_source_is_refused(tmp_path: Path, games: int, held: int) -> None:
    out = tmp_path / "out"
    if held:
        run(out, games=held, grid=KALAH)
    before = files_of(out)
    good = run(tmp_path / "good", games=SMALL, grid={"variant": ["easy"]})
    one = run(tmp_path / "one", games=games, grid=KALAH)
    [row] = read_manifest(one)
    # A figure of one game, as a failing disk may change it: the file can still be read.
    table = pq.read_table(one / row.file)
    column = table.schema.get_field_index("laps")
    laps = pa.array([table["laps"][0].as_py() + 1, *table["laps"].to_pylist()[1:]])
    changed = table.set_column(column, table.schema.field("laps"), laps.cast(table["laps"].type))
    pq.write_table(changed, one / row.file)
    with pytest.raises(UserError, match="damaged: its checksum is wrong") as refused_:
        merge([good, one], out)
    assert str(refused_.value).startswith(f"{one / row.file}: ")
    assert files_of(out) == before


def test_each_source_file_is_checked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [run(tmp_path / "two", games=30, grid=BOTH), run(tmp_path / "one", games=SMALL)]
    checked: list[Path] = []

    def counted(path: Path) -> str:
        checked.append(path)
        return checksum(path)

    monkeypatch.setattr(merging, "checksum", counted)
    merge(sources, tmp_path / "out")
    files = [source / row.file for source in sources for row in read_manifest(source)]
    assert sorted(checked) == sorted(files)


def test_a_shard_that_no_manifest_lists_comes_in_with_a_checksum(tmp_path: Path) -> None:
    one = run(tmp_path / "one", games=SMALL, grid=KALAH)
    rows = read_manifest(one)
    (one / "manifest.jsonl").unlink()
    out = merged([one], tmp_path / "out")
    assert read_manifest(out) == rows


def test_a_source_that_cannot_be_read_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = run(tmp_path / "one", games=50, grid=KALAH)
    [row] = read_manifest(one)
    data = (one / row.file).read_bytes()
    (one / row.file).write_bytes(data[:200] + bytes(1000) + data[1200:])
    (one / "manifest.jsonl").unlink()  # so that there is no checksum to see it by
    said = refused(mancalab(capsys, "merge", str(one), "--out", str(tmp_path / "out")))
    assert f"{one / row.file}: cannot be read (" in said
    (one / row.file).write_bytes(data[:-4] + b"junk")
    said = refused(mancalab(capsys, "merge", str(one), "--out", str(tmp_path / "out")))
    assert f"{one / row.file}: no shard of a dataset: not a readable Parquet file" in said


def test_moves_are_not_dropped_for_games_held_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = run(tmp_path / "bare", games=300, grid=KALAH, output={"log": "games"})
    full = run(tmp_path / "full", games=400, grid=BOTH)
    before = files_of(bare)
    said = refused(mancalab(capsys, "merge", str(full), "--out", str(bare)))
    assert said == (
        f"mancalab: {bare}: holds 300 games without moves that {full} has with moves: merge into a"
        " new folder to keep them\n"
    )
    assert files_of(bare) == before
    out = merged([bare, full], tmp_path / "out")
    assert rows_of(out)["packed_moves"].null_count == 0
    # What goes in the other way round loses nothing, nor do other games.
    assert merge([bare], full)[1] == 0
    assert merge([run(tmp_path / "other", games=20, grid=KALAH, seed=1)], bare)[1] == 20


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = run(tmp_path / "one", games=50), run(tmp_path / "two", games=60)
    out = tmp_path / "out"
    code, said, _ = mancalab(capsys, "merge", str(one), str(two), "--out", str(out))
    assert (code, said.startswith(f"{out}: 120 games came in: 120 games, ")) == (0, True)
    code, said, _ = mancalab(capsys, "merge", str(one), str(two), "--out", str(out))
    assert "complete already, nothing to do" in said
    code, said, _ = mancalab(capsys, "status", str(out))
    assert said.startswith(f"{out}: complete, 120 of 120 games")
    assert pq.read_table(out / "games").num_rows == 120
