"""The named queries: their headers, and their figures against plain Python."""

import math
import random
import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from made import Row, cell, given, packed, unpacked

from pipelines import connect
from reports import functions
from reports.library import load_query, query_names
from sim.errors import UserError
from sim.rules import KEYS

KALAH, OWARI, SMALL = cell("kalah"), cell("owari"), cell("sungka", board_pits=4)
CELLS = {"kalah": KALAH, "owari": OWARI, "sungka": SMALL}
# Matches alone have rounds, and players that met in both seats duels; the others compare cells.
OF_GAMES = sorted(
    {*query_names()}
    - {"matches", "rounds", "duels", "skill", "comparisons", "effects", "ratings"}
    - {"fairness", "ranking"}  # which have an order of their own
)
BOUNDS = ("max-plies", "max-laps", "max-rounds")

Result = dict[str, Any]


def made_up(count: int, seed: int) -> list[Row]:
    """Return games whose every figure varies, some of them twice."""
    choose = random.Random(seed)
    games = []
    for _ in range(count):
        score0 = choose.randint(0, 48)
        games.append(
            {
                "score0": score0,
                "score1": 48 - score0,
                "winner": None if score0 == 24 else int(score0 < 24),
                "plies": choose.randint(1, 300),
                "turns": choose.randint(1, 200),
                "laps": choose.randint(1, 2000),
                "reason": choose.choice(["side-empty", "no-move", "max-plies", "repetition"]),
                "digest": choose.randint(0, 2 * count),
                "packed_moves": packed([choose.randint(0, 5)]),
            }
        )
    return games


GAMES = {"kalah": made_up(211, 1), "owari": made_up(64, 2), "sungka": made_up(17, 3)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pairs = [(CELLS[name], games) for name, games in GAMES.items()]
    return given(tmp_path_factory.mktemp("runs"), *pairs)


def answer(folder: Path, name: str) -> list[Result]:
    """Run a query; check that its header describes the columns it has."""
    connection = connect(str(folder))
    functions.register(connection)
    query = load_query(name)
    cursor = connection.execute(query.sql)
    assert [column[0] for column in cursor.description] == list(query.columns)
    return [dict(zip(query.columns, row, strict=True)) for row in cursor.fetchall()]


def quantile(values: Sequence[int], share: float) -> int:
    """Return the least value that so many of the values do not exceed."""
    return sorted(values)[math.ceil(share * len(values)) - 1]


def share(games: Sequence[Row]) -> float:
    return statistics.mean({0: 1.0, None: 0.5, 1: 0.0}[game["winner"]] for game in games)


def column(games: Sequence[Row], name: str) -> list[Any]:
    return [game[name] for game in games]


def test_every_query_explains_itself() -> None:
    assert {"balance", "lengths", "ends", "openings", "advantage"} <= set(query_names())
    for name in query_names():
        query = load_query(name)
        assert query.question.endswith((".", "?"))
        assert all(query.columns.values())
        assert query.sql.isascii() or "½" in query.sql


def test_an_unknown_query_is_a_line() -> None:
    with pytest.raises(
        UserError, match=r"there is no query 'lenghts' \(did you mean 'lengths'\?\)"
    ):
        load_query("lenghts")


@pytest.mark.parametrize("name", OF_GAMES)
def test_queries_name_the_cell_first(folder: Path, name: str) -> None:
    names = [
        (row["variant"], row["pits"], row["seeds"], row["cell"]) for row in answer(folder, name)
    ]
    expected = [("kalah", 6, 4), ("owari", 6, 4), ("sungka", 4, 7)]
    assert list(dict.fromkeys(names)) == [(*board, CELLS[board[0]].id) for board in expected]


def test_balance(folder: Path) -> None:
    for row in answer(folder, "balance"):
        games = GAMES[row["variant"]]
        assert row["games"] == len(games)
        assert row["distinct_games"] == len(set(column(games, "digest")))
        ended = [game for game in games if game["reason"] not in BOUNDS]
        assert row["completion"] == pytest.approx(len(ended) / len(games))
        wins = Counter(column(games, "winner"))
        assert (row["wins0"], row["draws"], row["wins1"]) == (wins[0], wins[None], wins[1])
        assert row["first_player_share"] == pytest.approx(share(games))
        assert row["share_low"] < row["first_player_share"] < row["share_high"]
        margins = [game["score0"] - game["score1"] for game in games]
        assert row["margin_mean"] == pytest.approx(statistics.mean(margins))
        half = row["margin_high"] - row["margin_mean"]
        error = statistics.stdev(margins) / math.sqrt(len(games))
        assert 1.96 < half / error < 2.13
        assert row["margin_mean"] - row["margin_low"] == pytest.approx(half)
        for unit in ("plies", "turns"):
            values = column(games, unit)
            assert row[f"{unit}_mean"] == pytest.approx(statistics.mean(values))
            assert row[f"{unit}_p5"] == quantile(values, 0.05)
            assert row[f"{unit}_median"] == quantile(values, 0.5)
            assert row[f"{unit}_p95"] == quantile(values, 0.95)
            assert row[f"{unit}_max"] == max(values)


def test_the_margin_of_rounds_cut_short_has_a_note(folder: Path) -> None:
    notes = {row["variant"]: row["notes"] for row in answer(folder, "balance")}
    assert notes["kalah"] == notes["sungka"] == []
    [note] = notes["owari"]
    assert note.startswith("margin: cut short")


def test_the_note_names_a_rule_key() -> None:
    assert "end.win_seeds" in KEYS
    assert "(end.win_seeds)" in load_query("balance").sql


def test_advantage(folder: Path) -> None:
    for row in answer(folder, "advantage"):
        games = GAMES[row["variant"]]
        assert row["games"] == len(games)
        assert row["distinct_games"] == len(set(column(games, "digest")))
        assert row["first_player_share"] == pytest.approx(share(games))
        decided = [game for game in games if game["winner"] is not None]
        assert row["draw_rate"] == pytest.approx(1 - len(decided) / len(games))
        assert row["decided_share"] == pytest.approx(share(decided))
        assert row["decided_low"] < row["decided_share"] < row["decided_high"]
        margins = [game["score0"] - game["score1"] for game in games]
        found = [row["margin_p5"], row["margin_median"], row["margin_p95"]]
        assert found == [quantile(margins, q) for q in (0.05, 0.5, 0.95)]


def test_lengths(folder: Path) -> None:
    rows = answer(folder, "lengths")
    assert [row["length"] for row in rows] == ["plies", "turns", "laps"] * 3
    for row in rows:
        values = column(GAMES[row["variant"]], row["length"])
        assert row["mean"] == pytest.approx(statistics.mean(values))
        assert (row["least"], row["most"]) == (min(values), max(values))
        found = [row["p5"], row["median"], row["p95"]]
        assert found == [quantile(values, q) for q in (0.05, 0.5, 0.95)]


def test_ends(folder: Path) -> None:
    rows = answer(folder, "ends")
    for variant, games in GAMES.items():
        mine = [row for row in rows if row["variant"] == variant]
        assert {r["reason"]: r["games"] for r in mine} == Counter(column(games, "reason"))
        assert [r["games"] for r in mine] == sorted((r["games"] for r in mine), reverse=True)
        for row in mine:
            such = [game for game in games if game["reason"] == row["reason"]]
            assert row["share_of_games"] == pytest.approx(len(such) / len(games))
            assert row["plies_mean"] == pytest.approx(statistics.mean(column(such, "plies")))
            assert row["first_player_share"] == pytest.approx(share(such))


def test_openings(folder: Path) -> None:
    for row in answer(folder, "openings"):
        games = GAMES[row["variant"]]
        such = [game for game in games if unpacked(game["packed_moves"])[0] == row["pit"]]
        assert row["games"] == len(such)
        assert row["chosen"] == pytest.approx(len(such) / len(games))
        assert row["first_player_share"] == pytest.approx(share(such))
        assert row["share_low"] <= row["first_player_share"] <= row["share_high"]
        assert row["plies_mean"] == pytest.approx(statistics.mean(column(such, "plies")))


def test_the_figures_do_not_depend_on_the_threads(folder: Path) -> None:
    connection = connect(str(folder))
    functions.register(connection)
    answers = set()
    for threads in (1, 2, 5):
        connection.execute(f"SET threads = {threads}")
        answers.add(str(connection.execute(load_query("balance").sql).fetchall()))
    assert len(answers) == 1


def test_interval_functions_are_null_where_there_is_no_interval() -> None:
    import duckdb

    connection = duckdb.connect()
    functions.register_figures(connection)
    [found] = connection.execute(
        "SELECT share_low(NULL, 0, 0), share_low(0, 0, 0), mean_high(1, NULL, 1),"
        " mean_low(1, 0, 9), share_low(1, 0, 0) > 0, mean_low(1, 1, 2) < mean_high(1, 1, 2)"
    ).fetchall()
    assert found == (None, None, None, None, True, True)
