"""The views over datasets: their columns, their rows, their sources."""

import random
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb
import pytest
from made import cell, given, packed, packed_rounds, played

from pipelines import connect
from pipelines.views import connect as connect_where
from sim.errors import UserError
from sim.referee import Game
from sim.rules import KEYS

CELLS = [cell("kalah"), cell("owari", ("greedy", "random")), cell("sungka", board_pits=5)]

CONTRACT = {
    "cells": ["cell", "variant", "pits", "seeds", "agent0", "agent1", "n_games"],
    "games": [
        "cell", "game", "seed", "pair", "rounds", "score0", "score1", "margin", "winner", "points0",
        "plies", "turns", "laps", "reason",
    ],
    "rounds": [
        "cell", "game", "round", "first_player", "score0", "score1", "winner", "plies", "reason",
        "burnt0", "burnt1", "move_list",
    ],
    "moves": [
        "cell", "game", "round", "ply", "turn", "player", "pit", "lifted", "laps", "captured",
        "gained", "extra_turn", "legal_moves", "store0", "store1", "search_worth", "search_nodes",
    ],
    "statistics": [
        "cell", "games", "distinct_games", "distinct_exact", "wins0", "draws", "wins1", "rounds",
        "plies", "turns", "laps",
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty games a cell in two shards."""
    folder = tmp_path_factory.mktemp("runs") / "it's [7] seed=3"  # all that a path may hold
    played(folder, CELLS, range(25))
    return played(folder, CELLS, range(25, 40))


def rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    cursor = connection.execute(sql)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def one(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    [[value]] = connection.execute(sql).fetchall()
    return value


@pytest.mark.parametrize("view", CONTRACT)
def test_views_have_the_columns_of_the_contract(folder: Path, view: str) -> None:
    names = [column["column_name"] for column in rows(connect(folder), f"DESCRIBE {view}")]
    assert set(CONTRACT[view]) <= set(names)


def test_every_rule_key_is_a_column_of_cells(folder: Path) -> None:
    names = {column["column_name"] for column in rows(connect(folder), "DESCRIBE cells")}
    keys = {key.replace(".", "_") for key in KEYS} - {"board_pits", "board_seeds"}
    assert keys <= names


def test_cells_say_what_is_played_and_how_often(folder: Path) -> None:
    found = rows(connect(folder), "FROM cells ORDER BY variant")
    assert [(c["variant"], c["pits"], c["seeds"], c["agent0"], c["n_games"]) for c in found] == [
        ("kalah", 6, 4, "random", 40), ("owari", 6, 4, "greedy", 40), ("sungka", 5, 7, "random", 40)
    ]  # fmt: skip
    assert [c["end_win_seeds"] for c in found] == [None, 25, None]
    assert found[1]["capture_grand_slam"] == "forbidden"


def test_every_move_is_the_referees(folder: Path) -> None:
    connection = connect(folder)
    for one_cell in CELLS:
        where = f"WHERE cell = '{one_cell.id}'"
        games = rows(connection, f"FROM games {where} ORDER BY game")
        rounds = rows(connection, f"FROM rounds {where} ORDER BY game")
        moves = iter(rows(connection, f"FROM moves {where} ORDER BY game, ply"))
        for number, (game, round_) in enumerate(zip(games, rounds, strict=True)):
            referee = Game(one_cell.rules)
            for pit in round_["move_list"]:
                expected = asdict(referee.move(pit))
                expected["store0"], expected["store1"] = expected.pop("stores")
                at = {"cell": one_cell.id, "seed": 0, "game": number}
                at |= {"search_worth": None, "search_nodes": None}
                assert next(moves) == at | expected
            check_game(game, referee)
            check_round(round_, referee)
        assert next(moves, None) is None


def check_game(game: dict[str, Any], referee: Game) -> None:
    assert referee.over
    moves = referee.moves
    assert (game["score0"], game["score1"]) == referee.score
    assert game["margin"] == referee.score[0] - referee.score[1]
    assert (game["winner"], game["reason"], game["rounds"]) == (referee.winner, referee.reason, 1)
    assert game["points0"] == {0: 1.0, None: 0.5, 1: 0.0}[referee.winner]
    assert (game["plies"], game["turns"]) == (len(moves), moves[-1].turn)
    assert game["laps"] == sum(move.laps for move in moves)
    assert game["pair"] == game["game"]


def check_round(found: dict[str, Any], referee: Game) -> None:
    [expected] = referee.rounds
    names = ("round", "first_player", "winner", "plies", "reason")
    assert {name: found[name] for name in names} == {n: getattr(expected, n) for n in names}
    assert (found["score0"], found["score1"]) == expected.score
    assert (found["burnt0"], found["burnt1"]) == (0, 0)


def sunog() -> tuple[Any, dict[str, Any], Game]:
    """Return a match's cell, its row as it is logged, and the referee's account of it."""
    match = cell("sungka", match_kind="sunog", board_pits=3, board_seeds=3, match_max_rounds=9)
    referee, choose = Game(match.rules), random.Random(4)
    while not referee.over:
        referee.move(choose.choice(referee.legal))
    log = [
        {
            "first_player": r.first_player, "score0": r.score[0], "score1": r.score[1],
            "winner": r.winner, "plies": r.plies, "reason": r.reason,
            "burnt0": r.burnt[0], "burnt1": r.burnt[1],
        }
        for r in referee.rounds
    ]  # fmt: skip
    pits = [move.pit for move in referee.moves]
    row = {
        "rounds": len(log),
        "plies": len(pits),
        "packed_moves": packed(pits),
        "packed_rounds": packed_rounds(log),
    }
    return match, row, referee


def test_the_rounds_of_a_match(tmp_path: Path) -> None:
    match, row, referee = sunog()
    assert len(referee.rounds) > 2
    connection = connect(given(tmp_path, (match, [row, row]), (CELLS[0], [{}])))
    found = rows(connection, f"FROM rounds WHERE cell = '{match.id}' AND game = 1 ORDER BY round")
    assert len(found) == len(referee.rounds)
    for round_, expected in zip(found, referee.rounds, strict=True):
        names = ("round", "first_player", "winner", "plies", "reason")
        assert {n: round_[n] for n in names} == {n: getattr(expected, n) for n in names}
        assert (round_["score0"], round_["score1"]) == expected.score
        assert (round_["burnt0"], round_["burnt1"]) == expected.burnt
        pits = [move.pit for move in referee.moves if move.round == expected.round]
        assert round_["move_list"] == pits
    assert one(connection, f"SELECT count(*) FROM rounds WHERE cell = '{CELLS[0].id}'") == 1


def test_a_game_in_several_datasets_counts_once(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    overlapping = played(tmp_path / "overlapping", [*CELLS[:2], cell("easy")], range(30, 50))
    other_seed = played(tmp_path / "other", CELLS[:1], range(10), seed=1)
    connection = connect(overlapping, folder, copy, other_seed, folder)
    games = dict(
        connection.execute(
            "SELECT variant, list((seed, game) ORDER BY seed, game) FROM games JOIN cells"
            " USING (cell) GROUP BY variant"
        ).fetchall()
    )
    seed0 = [(0, number) for number in range(50)]
    assert games["kalah"] == seed0 + [(1, number) for number in range(10)]
    assert games["owari"] == seed0
    assert games["sungka"] == seed0[:40]
    assert games["easy"] == seed0[30:]
    counted = dict(connection.execute("SELECT variant, n_games FROM cells").fetchall())
    assert counted == {variant: len(listed) for variant, listed in games.items()}
    assert one(connection, "SELECT sum(plies) FROM games") == one(
        connection, "SELECT count(*) FROM moves"
    )


def test_of_two_logs_of_a_game_the_one_with_moves_is_taken(folder: Path, tmp_path: Path) -> None:
    bare = played(tmp_path / "bare", CELLS, range(40), log="games")
    connection = connect(bare, folder)
    assert one(connection, "SELECT count(*) FROM games") == 120
    assert one(connection, "SELECT count(*) FROM rounds WHERE move_list IS NULL") == 0


def test_without_logged_moves(tmp_path: Path) -> None:
    connection = connect(played(tmp_path / "bare", CELLS, range(5), log="games"))
    assert one(connection, "SELECT count(*) FROM games") == 15
    assert one(connection, "SELECT count(*) FROM moves") == 0
    assert one(connection, "SELECT count(*) FROM rounds WHERE move_list IS NULL") == 15


def test_without_games(tmp_path: Path) -> None:
    connection = connect(given(tmp_path, (CELLS[0], [])))
    counts = [one(connection, f"SELECT count(*) FROM {view}") for view in CONTRACT]
    assert counts == [1, 0, 0, 0, 0]
    assert one(connection, "SELECT n_games FROM cells") == 0
    kinds = rows(connect(given(tmp_path / "one", (CELLS[0], [{}]))), "DESCRIBE rounds")
    assert rows(connection, "DESCRIBE rounds") == kinds


def test_an_unfinished_file_is_not_read(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / "games" / ".x.parquet.tmp").write_bytes(b"PAR1")
    assert one(connect(copy), "SELECT count(*) FROM games") == 120


def test_where_chooses_cells_and_their_games(folder: Path) -> None:
    connection = connect_where(folder, where="pits = 5 OR variant = 'owari' -- the last two")
    assert one(connection, "SELECT count(*) FROM cells") == 2
    assert one(connection, "SELECT count(DISTINCT cell) FROM games") == 2
    assert one(connection, "SELECT count(DISTINCT cell) FROM moves WHERE ply = 1") == 2


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("pits = ", "syntax error"),
        ("pit = 5", '"pits"'),
        ("variant", "Could not convert"),
        ("pits > 12", "no cell is such"),
        ("sum(pits) > 1", "aggregate"),
    ],
)
def test_a_wrong_where_is_a_line(folder: Path, where: str, says: str) -> None:
    with pytest.raises(UserError) as error:
        connect_where(folder, where=where)
    assert str(error.value).startswith(f'--where "{where}": ')
    assert says.lower() in str(error.value).lower()
    assert "\n" not in str(error.value)


def test_folders_without_a_dataset(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "file").touch()
    torn = shutil.copytree(folder, tmp_path / "torn")
    shutil.rmtree(torn / "cells")
    for name in ("missing", "", "file", "torn"):
        with pytest.raises(UserError, match=str(tmp_path / name)) as error:
            connect(folder, tmp_path / name)
        assert "\n" not in str(error.value)
    with pytest.raises(UserError, match="no dataset is given"):
        connect()


def test_scores_can_be_subtracted(tmp_path: Path) -> None:
    connection = connect(given(tmp_path, (CELLS[0], [{"score0": 0, "score1": 255, "winner": 1}])))
    assert rows(connection, "SELECT score0 - score1 AS d, margin, points0 FROM games") == [
        {"d": -255, "margin": -255, "points0": 0.0}
    ]


def test_a_logged_game_against_the_rules_is_an_error(tmp_path: Path) -> None:
    connection = connect(given(tmp_path, (CELLS[0], [{"packed_moves": packed([0, 0, 0, 0])}])))
    with pytest.raises(duckdb.Error, match="mancalab verify"):
        connection.execute("FROM moves").fetchall()


def test_the_views_are_seen_from_a_cursor_and_from_threads(folder: Path) -> None:
    connection = connect(folder).cursor()
    connection.execute("SET threads = 4")
    assert one(connection, "SELECT count(*) FROM moves") == one(
        connection, "SELECT sum(plies) FROM games"
    )


LIGHT = """
import sys
from pipelines import connect
con = connect(sys.argv[1])
con.execute("SELECT * FROM cells JOIN games USING (cell) JOIN rounds USING (cell, game)").fetchall()
assert "numba" not in sys.modules, "the kernel is loaded before moves are asked for"
assert con.execute("SELECT count(*) FROM moves").fetchall() != [(0,)]
assert "numba" in sys.modules
"""


def test_only_moves_load_the_kernel_and_the_home_folder_stays_untouched(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sim.kernel.jit import cache_folder

    monkeypatch.setenv("MANCALAB_CACHE_DIR", str(cache_folder().parent))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    subprocess.run([sys.executable, "-c", LIGHT, str(folder)], check=True, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_no_progress_bar_is_drawn_among_the_results(tmp_path: Path) -> None:
    folder = played(tmp_path, [cell("kalah")], range(3))
    with connect(folder) as connection:
        [[shown]] = connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()
    assert not shown
