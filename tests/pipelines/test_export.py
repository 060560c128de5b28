"""`mancalab export --moves`: the wide table of moves, as the referee plays them."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from command import mancalab, refused
from made import unpacked
from played import files_of, hidden_files, rows_of, run

from pipelines import export
from pipelines.cell_table import read_cells
from pipelines.executors import Threads
from pipelines.export import MOVES, export_moves
from pipelines.merge import merge
from sim.referee import Game

GRID: dict[str, Any] = {"variant": ["kalah", "sungka", "owari"], "match.kind": ["single"]}
MATCH = [{"variant": "sungka", "match.kind": "sunog", "match.max_rounds": 3}]


def test_every_move_is_as_the_referee_plays_it(tmp_path: Path) -> None:
    folder = run(tmp_path / "d", games=8, grid=GRID, case=MATCH)
    export_moves(folder, tmp_path / "out", Threads(2))
    moves = pq.read_table(tmp_path / "out" / "moves").to_pylist()
    wanted = []
    cells = read_cells(folder)
    for row in rows_of(folder).to_pylist():
        game = Game(cells[row["cell"]].rules)
        for pit in unpacked(row["packed_moves"]):
            move = game.move(pit)
            wanted.append({
                "cell": row["cell"], "game": row["game"], "seed": row["seed"],
                **{name: getattr(move, name) for name in MOVES.names if hasattr(move, name)},
                "store0": move.stores[0], "store1": move.stores[1],
            })  # fmt: skip
    assert moves == [{name: row[name] for name in MOVES.names} for row in wanted]


def test_groups_and_pieces_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run(tmp_path / "d", games=50)
    export_moves(folder, tmp_path / "whole", Threads(1))
    monkeypatch.setattr(export, "GROUP_MOVES", 100)
    export_moves(folder, tmp_path / "out", Threads(1))
    table = pq.read_table(tmp_path / "out" / "moves")
    assert table.to_pydict() == pq.read_table(tmp_path / "whole" / "moves").to_pydict()
    assert table.schema.equals(MOVES)


def test_an_export_is_completed_and_grows(tmp_path: Path) -> None:
    folder, out = run(tmp_path / "d", games=50), tmp_path / "out"
    assert export_moves(folder, out, Threads(1))[1] == 1
    first = files_of(out)
    (out / "moves" / ".x.parquet.tmp").touch()
    assert export_moves(folder, out, Threads(1))[1] == 0
    assert files_of(out) == first
    run(folder, games=80)
    assert export_moves(folder, out, Threads(1))[1] == 1
    assert first.items() < files_of(out).items()
    assert not hidden_files(out)
    games = pq.read_table(out / "moves", columns=["cell", "game"]).group_by(["cell", "game"])
    assert games.aggregate([]).num_rows == 160


def test_what_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(run(tmp_path / "d", games=50))
    bare = str(run(tmp_path / "bare", games=50, output={"log": "games"}))
    other = str(run(tmp_path / "other", games=60))
    out = str(tmp_path / "out")
    assert "say --moves" in refused(mancalab(capsys, "export", folder, "--out", out))
    said = refused(mancalab(capsys, "export", bare, "--moves", "--out", out))
    assert "logs no moves" in said
    said = refused(mancalab(capsys, "export", str(tmp_path), "--moves", "--out", out))
    assert "no dataset" in said
    said = refused(mancalab(capsys, "export", folder, "--moves", "--out", folder))
    assert "which is none of this export" in said
    said = refused(mancalab(capsys, "export", folder, "--moves", "--out", f"{folder}/plan.toml"))
    assert "a file, not a folder" in said
    assert not Path(out).exists()
    code, _, told = mancalab(capsys, "export", folder, "--moves", "--out", out)
    assert (code, told) == (0, "")
    said = refused(mancalab(capsys, "export", other, "--moves", "--out", out))
    assert "which is none of this export" in said


def test_games_without_moves_are_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = run(tmp_path / "bare", games=30, grid=GRID, output={"log": "games"})
    full = run(tmp_path / "full", games=10, grid=GRID)
    merge([bare, full], tmp_path / "both")
    line = ("export", str(tmp_path / "both"), "--moves", "--out", str(tmp_path / "out"))
    code, out, told = mancalab(capsys, *line)
    assert code == 0
    assert "1 file written" in out
    assert told == (
        "mancalab: of 60 games no moves were kept (--log games, none): they are not in it\n"
    )


def test_damage_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = run(tmp_path / "d", games=50)
    [shard] = (folder / "games").iterdir()
    data = shard.read_bytes()
    line = ("export", str(folder), "--moves", "--out", str(tmp_path / "out"))
    for damaged in (data[:-4] + b"junk", data[:200] + bytes(1000) + data[1200:]):
        shard.write_bytes(damaged)
        said = refused(mancalab(capsys, *line))
        assert said.startswith(f"mancalab: {shard}: cannot be read (")
        assert said.endswith("): `mancalab verify` says what is wrong\n")
    shard.write_bytes(data)
    cells = folder / "cells" / "cells.parquet"
    pq.write_table(pq.read_table(cells).slice(1), cells)
    assert "which the dataset's table of cells lacks" in refused(mancalab(capsys, *line))
    assert not list((tmp_path / "out" / "moves").iterdir())
