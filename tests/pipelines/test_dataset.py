"""Datasets: resumed, grown, mended and refused; the same rows however they come about."""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from filelock import FileLock
from made import unpacked
from played import QUICK, SMALL, files_of, hidden_files, plan_of, rows_of, run, small_shards  # noqa: F401

from pipelines import cell_games, play, sweep, writer
from pipelines.cell_table import CELLS, read_cells
from pipelines.dataset import open_dataset, read_plans
from pipelines.executors import Threads
from pipelines.files import checksum
from pipelines.holding import is_held
from pipelines.manifest import read_footer, read_manifest
from pipelines.measures import STATISTICS
from pipelines.packed_rounds import PACKED
from pipelines.schema import GAMES
from sim.errors import UserError
from sim.room import GAMES_PER_BATCH

pytestmark = pytest.mark.usefixtures("small_shards")

THREE: dict[str, Any] = {"games": SMALL, "grid": {"variant": ["kalah", "sunka", "easy"]}}


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]


def test_what_is_on_disk(tmp_path: Path) -> None:
    folder = run(tmp_path / "new" / "d", games=500)
    [line] = lines(folder)
    assert line["rows"] == 1000
    assert {"file", "rows", "bytes", "checksum", "versions", "seed"} <= line.keys()
    assert (folder / line["file"]).stat().st_size == line["bytes"]
    assert pq.read_schema(folder / line["file"]).equals(GAMES)
    [row] = read_manifest(folder)
    assert read_footer(folder / row.file).footer == row.footer
    rows = rows_of(folder)
    assert rows.num_rows == 1000
    assert row.moves == sum(rows["plies"].to_pylist())
    keys = rows.select(["cell", "game"]).to_pylist()
    assert keys == sorted(keys, key=lambda row: (row["cell"], row["game"]))
    lengths = [len(unpacked(moves)) for moves in rows["packed_moves"].to_pylist()]
    assert lengths == rows["plies"].to_pylist()
    assert rows["packed_rounds"].null_count == 1000
    assert not hidden_files(folder)
    everything = [path.relative_to(folder) for path in folder.glob("*/*.parquet")]
    files = ["cells/cells.parquet", line["file"], row.statistics_file]
    assert sorted(map(str, everything)) == files
    assert (folder / row.statistics_file).stat().st_size == line["statistics"]["bytes"]
    assert checksum(folder / row.statistics_file) == line["statistics"]["checksum"]
    assert pq.read_schema(folder / row.statistics_file).equals(STATISTICS)


def test_the_table_of_cells_has_every_rule_key_and_gives_the_cells_back(tmp_path: Path) -> None:
    grid = {"variant": ["kalah", "owari", "basic", "sungka"], "match.max_rounds": [7]}
    cases = [
        {"variant": "kalah", "board.layout": [[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]]},
        {"variant": "sungka", "match.kind": "sunog", "agents": ["greedy", "random"]},
    ]
    plan = plan_of({"games": 1, "grid": grid, "case": cases})
    folder = run(tmp_path / "d", {"games": 1, "grid": grid, "case": cases})
    table = pq.read_table(folder / "cells" / "cells.parquet")
    assert table.schema.equals(CELLS)
    rows = {row["variant"]: row for row in table.to_pylist() if row["seeds"]}
    assert rows["owari"]["end_win_seeds"] == 25
    assert rows["kalah"]["end_win_seeds"] is rows["kalah"]["end_repetition"] is None
    assert rows["owari"]["capture_grand_slam"] == "forbidden"
    assert rows["owari"]["capture_counts"] == [2, 3]
    assert rows["basic"]["sowing_opponent_store"] is True
    cells = read_cells(folder)
    assert cells.keys() == plan.ids
    for cell in plan.cells:
        assert cells[cell.id].rules.id == cell.rules.id
        assert cells[cell.id].agents == cell.agents


def test_matches_log_their_rounds(tmp_path: Path) -> None:
    grid = {"variant": ["sungka"], "match.kind": ["sunog"], "match.max_rounds": [4]}
    rows = rows_of(run(tmp_path / "d", {"games": 20, "grid": grid})).to_pylist()
    for row in rows:
        rounds = np.frombuffer(row["packed_rounds"], PACKED)
        assert len(rounds) == row["rounds"]
        assert rounds["plies"].sum() == row["plies"]
        assert rounds["first_player"][0] == 0
        assert (rounds["score0"] + rounds["score1"] == 98).all()
    assert {row["reason"] for row in rows} <= {"max-rounds", "burnt-out"}


def test_log_games_keeps_no_moves_and_is_equal_else(tmp_path: Path) -> None:
    moves = rows_of(run(tmp_path / "m"))
    games = rows_of(run(tmp_path / "g", output={"log": "games"}))
    assert games["packed_moves"].null_count == games.num_rows
    assert games.drop_columns("packed_moves").equals(moves.drop_columns("packed_moves"))


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_change_nothing(
    tmp_path: Path, threads: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    one = run(tmp_path / "one", THREE, threads=1)
    assert files_of(run(tmp_path / "more", THREE, threads=threads)) == files_of(one)
    assert len(list((one / "games").iterdir())) == 3


def test_chunks_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "GROUP_GAMES", 500)
    monkeypatch.setattr(writer, "GROUP_MOVES", 15_000)
    for games, chunk in ((300, 1), (2000, 7), (3000, 997)):
        whole = files_of(run(tmp_path / f"whole{chunk}", games=games))
        with monkeypatch.context() as patch:
            patch.setattr(play, "_next_chunk", lambda _last, _seconds, chunk=chunk: chunk)
            assert files_of(run(tmp_path / f"{chunk}", games=games)) == whole


def test_row_groups_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "GROUP_GAMES", 120)
    monkeypatch.setattr(writer, "GROUP_MOVES", 10_000)
    folder = run(tmp_path / "d", games=500)
    [row] = read_manifest(folder)
    with pq.ParquetFile(folder / row.file) as file:
        plies = [
            file.read_row_group(group, ["plies"])["plies"].to_numpy()
            for group in range(file.num_row_groups)
        ]
    assert all(len(group) <= 120 and group.sum() <= 10_000 for group in plies)
    # Each is as full as the next game allows.
    for group, following in itertools.pairwise(plies):
        assert len(group) == 120 or group.sum() + following[0] > 10_000
    assert sum(map(len, plies)) == 1000


def test_a_game_longer_than_a_row_group_has_one_to_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = rows_of(run(tmp_path / "whole"))
    monkeypatch.setattr(writer, "GROUP_MOVES", 1)
    assert rows_of(run(tmp_path / "d")).equals(whole)


def test_a_finished_plan_does_nothing(tmp_path: Path) -> None:
    folder = run(tmp_path / "d")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.name[0] != "."}
    outcome = sweep.run(plan_of(QUICK), folder, Threads(2), pytest.fail)
    assert (outcome.played, outcome.dataset.games) == (0, 600)
    after = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.name[0] != "."}
    assert after == before


def test_more_games_and_more_cells_play_what_is_missing(tmp_path: Path) -> None:
    folder = run(tmp_path / "d", games=200, grid={"variant": ["kalah"]})
    first = files_of(folder)
    run(folder, games=300, grid={"variant": ["kalah"]})
    run(folder, games=300, grid={"variant": ["sunka", "kalah"], "board.pits": [5, 6]})
    assert first.items() - files_of(folder).items() <= {
        (name, first[name]) for name in ("plan.toml", "cells/cells.parquet")
    }
    whole = run(
        tmp_path / "w", games=300, grid={"variant": ["kalah", "sunka"], "board.pits": [6, 5]}
    )
    assert rows_of(folder).equals(rows_of(whole))
    assert read_cells(folder).keys() == read_cells(whole).keys()
    assert [row.rows for row in read_manifest(folder)] == [200, 100, 900]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seed": 1}, "its seed is 0, this plan's 1"),
        ({"games": 299}, "it has 300 games a cell, this plan 299"),
        ({"output": {"log": "games"}}, "it logs moves, this plan games"),
        ({"grid": {"variant": ["kalah"]}}, "it has owari 6×4, random against random, which this"),
        ({"grid": {"variant": ["sungka"]}}, "it has kalah 6×4, random against random, which this"),
    ],
)
def test_another_plan_is_refused(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    folder = run(tmp_path / "d")
    before = files_of(folder)
    with pytest.raises(UserError, match="holds another plan") as refused:
        run(folder, **change)
    assert says in str(refused.value)
    assert files_of(folder) == before


def test_games_that_a_plan_in_place_of_the_datasets_own_lacks_are_refused(tmp_path: Path) -> None:
    folder = run(tmp_path / "d")
    other = plan_of(QUICK, grid={"variant": ["kalah"]})
    (folder / "plan.toml").write_text(other.text)
    with pytest.raises(UserError, match="it has cell 8ce7f18ebc1efc85bba175976f01bd44, which"):
        sweep.run(other, folder, Threads(1), pytest.fail)


def test_foreign_folders_and_files_are_refused_untouched(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("mine")
    with pytest.raises(UserError, match="a file, not a folder"):
        run(tmp_path / "file")
    with pytest.raises(UserError, match=r"holds 'thesis.tex' but no dataset"):
        run(tmp_path / "full")
    with pytest.raises(UserError, match="no folder can be made there: Not a directory"):
        run(tmp_path / "file" / "d")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["thesis.tex"]
    with pytest.raises(UserError, match="there is no such folder"):
        open_dataset(tmp_path / "none")
    with pytest.raises(UserError, match=r"no dataset: it has no plan.toml"):
        open_dataset(tmp_path / "full")


def test_a_second_run_is_refused_while_the_first_lives(tmp_path: Path) -> None:
    folder = run(tmp_path / "d")
    assert not is_held(folder)
    with FileLock(folder / ".lock"):
        assert is_held(folder)
        with pytest.raises(UserError, match="another run is at work there"):
            run(folder, games=400)
    (folder / ".lock").write_text("12345")  # what a process that died may leave
    run(folder, games=400)


def test_a_visible_shard_without_a_line_is_adopted_and_leftovers_go(tmp_path: Path) -> None:
    folder = run(tmp_path / "d", THREE)
    whole = files_of(folder)
    complete = (folder / "manifest.jsonl").read_text().splitlines(keepends=True)
    # The kill came after a shard was renamed and before its line was whole; another was begun.
    (folder / "manifest.jsonl").write_text(complete[0] + complete[1] + complete[2][:40])
    (folder / "games" / ".abc.parquet.tmp").write_bytes(b"PAR1")
    (folder / ".plan.toml.tmp").write_bytes(b"")
    assert len(open_dataset(folder).rows) == 3
    outcome = sweep.run(plan_of(THREE), folder, Threads(1), pytest.fail)
    assert outcome.played == 0
    assert (folder / "manifest.jsonl").read_text() == "".join(complete)
    assert files_of(folder) == whole
    assert not hidden_files(folder)


def test_a_beginning_that_was_killed_is_begun_anew(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    (folder / ".lock").touch()
    (folder / ".plan.toml.tmp").write_text("seed")
    run(folder)
    (folder / "cells" / "cells.parquet").unlink()
    run(folder)
    assert read_cells(folder).keys() == plan_of(QUICK).ids
    assert not hidden_files(folder)


def test_a_shard_that_is_gone_is_played_anew(tmp_path: Path) -> None:
    folder = run(tmp_path / "d", THREE)
    whole = files_of(folder)
    gone = lines(folder)[1]["file"]
    (folder / gone).unlink()
    notes: list[str] = []
    outcome = sweep.run(plan_of(THREE), folder, Threads(1), notes.append)
    assert notes == [f"{gone} is gone: its {SMALL:,} games count as missing"]
    assert outcome.played == SMALL
    assert files_of(folder) == whole
    assert len(lines(folder)) == 3


def test_damage_is_refused_with_the_mend(tmp_path: Path) -> None:
    folder = run(tmp_path / "d", THREE)
    name = lines(folder)[0]["file"]
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[:-7])
    with pytest.raises(UserError, match=r"damaged: it has .* bytes of .*: delete it"):
        run(folder, THREE)
    (folder / name).write_bytes(whole)
    (folder / "games" / "mine.parquet").write_bytes(b"PAR1")
    with pytest.raises(UserError, match=r"mine.parquet: no shard of a dataset"):
        run(folder, THREE)
    (folder / "games" / "mine.parquet").write_bytes(whole)
    with pytest.raises(UserError, match=r"mine.parquet: a copy of games/"):
        run(folder, THREE)
    (folder / "games" / "mine.parquet").unlink()
    text = (folder / "manifest.jsonl").read_text()
    (folder / "manifest.jsonl").write_text("{}\n" + text)
    with pytest.raises(UserError, match=r"manifest.jsonl: line 1 is damaged"):
        run(folder, THREE)


def test_the_plan_in_a_dataset_goes_on_with_it(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("[board]\npits = 4\nseeds = 3\n")
    grid = {"variant": [str(tmp_path / "mine.toml")]}
    folder = run(tmp_path / "d", grid=grid)
    (tmp_path / "mine.toml").unlink()
    [plan] = read_plans(folder)
    assert sweep.run(plan, folder, Threads(1), pytest.fail).played == 0


def test_a_workers_error_ends_the_run_and_leaves_whole_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = cell_games.play, []

    def failing(*given: Any) -> Any:
        calls.append(given)
        if len(calls) == 20:
            raise OSError(28, "No space left on device")
        return real(*given)

    with monkeypatch.context() as patch:
        patch.setattr(cell_games, "play", failing)
        patch.setattr(play, "_next_chunk", lambda _last, _seconds: 64)
        with pytest.raises(OSError, match="No space left"):
            run(tmp_path / "d", THREE)
    assert not hidden_files(tmp_path / "d")
    assert len(open_dataset(tmp_path / "d").rows) < 3
    assert files_of(run(tmp_path / "d", THREE)) == files_of(run(tmp_path / "w", THREE))


def test_seeds_and_cells_give_games_of_their_own(tmp_path: Path) -> None:
    a, b = rows_of(run(tmp_path / "a")), rows_of(run(tmp_path / "b", seed=1))
    digests = [set(np.asarray(table["digest"]).tolist()) for table in (a, b)]
    assert len(digests[0] & digests[1]) < 5
    assert GAMES_PER_BATCH > 300  # so that a batch's length is not what is tested here
