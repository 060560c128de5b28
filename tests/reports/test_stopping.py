"""Reports over cells that stop by precision: their intervals hold though results decided when."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from pipelines import connect, sweep
from pipelines.executors import Threads
from pipelines.plan import parse_plan
from pipelines.sequences import mean_sequence, share_sequence
from reports import functions
from reports.library import load_query
from reports.report import SEQUENCES, render

PLAN: dict[str, Any] = {
    "games": 200, "opening_plies": 2, "stop": {"half_width": 0.06},
    "grid": {
        "variant": ["kalah", "sungka"], "board.pits": [4], "board.seeds": [3],
        "agents": [["random", "greedy"], ["greedy", "random"]],
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "d"
    sweep.run(parse_plan(PLAN, "plan", Path()), folder, Threads(2), lambda _: None)
    return folder


def answer(folder: Path, name: str) -> list[dict[str, Any]]:
    connection = connect(folder)
    functions.register(connection)
    return dictionaries(connection, load_query(name).sql)


def dictionaries(connection: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    rows = connection.execute(sql).fetchall()
    names = [column[0] for column in connection.description or ()]
    return [dict(zip(names, row, strict=True)) for row in rows]


def games_of(folder: Path) -> dict[str, list[dict[str, Any]]]:
    games = defaultdict(list)
    for row in dictionaries(connect(folder), "FROM games ORDER BY cell, game"):
        games[row["cell"]].append(row)
    return games


def ends(winners: list[int | None]) -> tuple[float, float]:
    low, high = share_sequence(*([winners.count(result)] for result in (0, None, 1)))
    return low[0], high[0]


def test_shares_have_confidence_sequences(folder: Path) -> None:
    games = games_of(folder)
    assert len({len(rows) for rows in games.values()}) > 1
    for row in answer(folder, "advantage"):
        winners = [game["winner"] for game in games[row["cell"]]]
        decided = [winner for winner in winners if winner is not None]
        assert (row["share_low"], row["share_high"]) == pytest.approx(ends(winners))
        assert (row["decided_low"], row["decided_high"]) == pytest.approx(ends(decided))
    for row in answer(folder, "openings"):
        moves = connect(folder).execute(
            "SELECT winner FROM rounds WHERE cell = $1 AND move_list[1] = $2",
            [row["cell"], row["pit"]],
        ).fetchall()  # fmt: skip
        found = (row["share_low"], row["share_high"])
        assert found == pytest.approx(ends([winner for (winner,) in moves]))


def test_pairs_of_games_have_the_sequence_of_a_mean(folder: Path) -> None:
    games = games_of(folder)
    rows = answer(folder, "duels")
    assert len(rows) == 2
    for row in rows:
        other = next(
            cell for cell in games if cell != row["cell"] and len(games[cell]) and
            cell in {c["cell"] for c in answer(folder, "balance") if c["variant"] == row["variant"]}
        )  # fmt: skip
        pairs = [
            (one["points0"] + 1 - two["points0"]) / 2
            for one, two in zip(games[row["cell"]], games[other], strict=False)
        ]
        low, high = mean_sequence(
            [np.mean(pairs) - 0.5], [np.std(pairs, ddof=1)], [len(pairs)], [1]
        )
        found = (row["share_low"], row["share_high"])
        assert found == pytest.approx((0.5 + low[0], 0.5 + high[0]))


def test_tables_say_so(folder: Path) -> None:
    for query in ("advantage", "duels", "fairness"):
        assert SEQUENCES in " ".join(render([folder], query).split())
    assert SEQUENCES not in " ".join(render([folder], "ends").split())
    assert "intervals of a confidence sequence" in render([folder])
