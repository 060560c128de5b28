"""Random first plies: the same whoever plays, a part of what a cell is, and shown."""

from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from command import mancalab, refused
from made import cell, played
from played import plan_of, rows_of, run

from pipelines import connect
from pipelines.cell_games import CellGames
from pipelines.executors import Threads
from pipelines.plan import read_plan
from pipelines.verify import verify
from reports.labels import Labels

MIRROR = {"games": 30, "grid": {"variant": ["kalah"], "agents": [["greedy", "random"],
          ["random", "greedy"]]}}  # fmt: skip
MATCH = {**MIRROR, "games": 4, "grid": {**MIRROR["grid"], "variant": ["sungka"], "board.pits": [3],  # type: ignore[dict-item]
         "match.kind": ["sunog"], "match.max_rounds": [4]}}  # fmt: skip


def games_of(folder: Path) -> dict[str, list[list[int]]]:
    """Return the moves of all games by the first player."""
    con = connect(folder)
    found: dict[str, list[list[int]]] = {}
    for agent, moves in con.execute(
        "SELECT agent0, list(pit ORDER BY ply) FROM moves JOIN cells USING (cell)"
        " GROUP BY agent0, game ORDER BY game"
    ).fetchall():
        found.setdefault(agent, []).append(moves)
    return found


@pytest.mark.parametrize("document", [MIRROR, MATCH], ids=["game", "match"])
def test_game_g_begins_alike_whoever_plays(tmp_path: Path, document: dict[str, Any]) -> None:
    games = games_of(run(tmp_path / "d", document, opening_plies=4))
    one, other = games["greedy"], games["random"]
    assert len(one) == document["games"]
    assert [g[:4] for g in one] == [g[:4] for g in other]
    assert len({tuple(g[:4]) for g in one}) > len(one) // 2  # games of other numbers do not
    # Only the game's first plies: what follows differs, in a match's later rounds too.
    assert all(a[4:] != b[4:] for a, b in zip(one, other, strict=True) if max(len(a), len(b)) > 8)
    without = games_of(run(tmp_path / "e", document))
    assert [g[:4] for g in without["greedy"]] != [g[:4] for g in without["random"]]


def test_games_shorter_than_their_opening_and_more_of_it() -> None:
    few, all_random = (
        CellGames(cell("kalah", ("greedy", "greedy"), opening_plies=k), 5) for k in (4, 1000)
    )
    short, long = few.play(0, 20), all_random.play(0, 20)
    for g in range(20):
        ours, theirs = (
            batch.moves[batch.move_offsets[g] :][:4].tolist() for batch in (short, long)
        )
        assert ours == theirs
    # Of one seed and rules the random plies are the same, of another they are not.
    other = CellGames(cell("kalah", ("random", "greedy"), opening_plies=1000), 5).play(0, 20)
    assert other.moves.tolist() == long.moves.tolist()
    elsewhere = CellGames(cell("kalah", ("random", "greedy"), opening_plies=1000), 6).play(0, 20)
    assert elsewhere.moves.tolist() != long.moves.tolist()


def test_a_game_does_not_depend_on_its_batch() -> None:
    games = CellGames(cell("kalah", ("greedy", "random"), opening_plies=3), 1)
    whole, part = games.play(0, 40), games.play(17, 5)
    assert part.digest.tolist() == whole.digest[17:22].tolist()


def test_it_is_part_of_what_a_cell_is() -> None:
    plain, one, two = (plan_of(MIRROR, opening_plies=k).cells[0] for k in (0, 1, 2))
    assert len({plain.id, one.id, two.id}) == 3
    assert plan_of(MIRROR).cells[0] == plain
    assert plain.label == "kalah 6×4, greedy against random"
    assert one.label == "kalah 6×4, greedy against random, 1 random ply first"
    assert two.label == "kalah 6×4, greedy against random, 2 random plies first"
    assert cell("kalah", ("greedy", "random"), opening_plies=2) == two


def test_plan_and_dataset_stand_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "d"
    line = ("run", "kalah", "--agent", "greedy", "--agent", "random", "--pairing", "mirror",
            "--games", "30", "--opening-plies", "4", "--out", str(out))  # fmt: skip
    assert mancalab(capsys, *line)[0] == 0
    plan = read_plan(out / "plan.toml")
    assert plan.document["opening_plies"] == 4
    assert plan.cells == plan_of(MIRROR, opening_plies=4).cells
    assert "nothing to do" in mancalab(capsys, *line)[1]
    assert "random plies first" in refused(mancalab(capsys, *line[:-3], "5", "--out", str(out)))
    assert verify(out, Threads(1)).faults == []
    con = connect(out)
    assert con.execute("SELECT DISTINCT opening_plies FROM cells").fetchall() == [(4,)]
    assert con.execute("SELECT count(*) FROM games WHERE pair <> game").fetchall() == [(0,)]
    assert "opening_plies" not in plan_of(MIRROR).document


@pytest.mark.parametrize("log", ["games", "none"])
def test_games_without_moves_are_played_anew_with_their_opening(tmp_path: Path, log: str) -> None:
    folder = run(tmp_path / "d", MIRROR, opening_plies=6, output={"log": log})
    report = verify(folder, Threads(1))
    assert (report.faults, report.anew) == ([], 60)


def test_labels_say_it_where_there_is_one(tmp_path: Path) -> None:
    cells = [cell("kalah", ("greedy", "greedy"), opening_plies=k) for k in (0, 4)]
    labels = Labels(connect(played(tmp_path / "d", cells, range(2))))
    assert labels.everywhere == "players: greedy – greedy"
    assert labels.lines(cells[0].id) == ["kalah 6×4"]
    assert labels.lines(cells[1].id) == ["kalah 6×4", "4 random plies first"]
    one = Labels(connect(played(tmp_path / "e", cells[1:], range(2))))
    assert one.everywhere == "players: greedy – greedy, 4 random plies first"


def test_datasets_without_the_column_are_read(tmp_path: Path) -> None:
    old, new = (
        played(tmp_path / name, [cell("kalah", opening_plies=k)], range(3))
        for name, k in (("old", 0), ("new", 2))
    )
    table = old / "cells" / "cells.parquet"
    pq.write_table(pq.read_table(table).drop_columns(["opening_plies"]), table)

    def openings(con: duckdb.DuckDBPyConnection) -> list[Any]:
        sql = "SELECT opening_plies, n_games FROM cells ORDER BY ALL"
        return list(con.execute(sql).fetchall())

    assert openings(connect(old)) == [(0, 3)]
    assert openings(connect(old, new)) == openings(connect(new, old)) == [(0, 3), (2, 3)]


def test_openings_that_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for given, says in (
        ("1001", "opening_plies = 1001 is not allowed: give an integer from 0 to 1,000"),
        ("-1", "--opening-plies -1: give a whole number"),
        ("x", "--opening-plies x: give a whole number"),
    ):
        line = ("run", "kalah", "--opening-plies", given, "--out", str(tmp_path / "d"))
        assert says in refused(mancalab(capsys, *line))
    assert not (tmp_path / "d").exists()


def test_rows_are_the_same_in_any_number_of_threads(tmp_path: Path) -> None:
    one, two = (run(tmp_path / str(n), MIRROR, n, opening_plies=4) for n in (1, 2))
    assert rows_of(one).equals(rows_of(two))
