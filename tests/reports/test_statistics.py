"""The report from statistics equals the same report worked out from the rows, figure by figure."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made import cell, played
from played import run, small_shards  # noqa: F401

from pipelines.views import connect
from reports import functions
from reports.library import load_query

BY_ROWS = Path(__file__).with_name("by_rows")
KEYS: dict[str, Any] = {"match_kind": "sunog", "match_max_rounds": 7, "board_pits": 3}
CELLS = [cell("kalah"), cell("owari", ("greedy", "random")), cell("sunka"), cell("basic")]
MATCHES = [
    cell("sungka", match_reopen=False, **KEYS),
    cell("kalah", ("random", "greedy"), **KEYS),
    cell("sungka", **{**KEYS, "match_max_rounds": 1}),
]
UNEVEN = [
    cell("kalah", board_layout=[[0] * 6, [4] * 6]),  # over, or passed, at the start
    cell("kalah", board_layout=[[4] * 6, [1, 2, 3, 4, 5, 9]]),
]


def equal_reports(*folders: Path, where: str | None = None) -> dict[str, list[dict[str, Any]]]:
    """Compare every figure of the queries that read statistics with the rows'; return them."""
    answers = {}
    with connect(*folders, where=where) as connection:
        functions.register(connection)

        def rows(sql: str) -> list[dict[str, Any]]:
            cursor = connection.execute(sql)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

        for name in ("balance", "advantage", "matches"):
            found, expected = (
                rows(sql) for sql in (load_query(name).sql, (BY_ROWS / f"{name}.sql").read_text())
            )
            for row in found:
                assert row.pop("distinct_exact", True) is True
            assert found == expected
            answers[name] = found
    return answers


def without_statistics(folder: Path) -> Path:
    """Return a dataset as a version made it that kept no statistics."""
    shutil.rmtree(folder / "stats", ignore_errors=True)
    return folder


@pytest.mark.parametrize("prepare", [lambda folder: folder, without_statistics])
@pytest.mark.parametrize(
    ("cells", "games"),
    [(CELLS, 700), (MATCHES, 120), (UNEVEN, 40), ([*CELLS, *MATCHES], 1)],
    ids=["single games", "matches", "uneven starts", "one game each"],
)
def test_equal_to_the_rows(
    tmp_path: Path, cells: list[Any], games: int, prepare: Callable[[Path], Path]
) -> None:
    folder = prepare(played(tmp_path / "d", cells, range(games)))
    answers = equal_reports(folder)
    assert sum(row["games"] for row in answers["balance"]) == games * len(cells)


@pytest.mark.parametrize("cells", [CELLS, MATCHES, UNEVEN])
def test_equal_without_any_row(tmp_path: Path, cells: list[Any]) -> None:
    rows = equal_reports(played(tmp_path / "rows", cells, range(90)))
    with connect(played(tmp_path / "none", cells, range(90), log="none")) as connection:
        functions.register(connection)
        for name, expected in rows.items():
            cursor = connection.execute(load_query(name).sql)
            names = [column[0] for column in cursor.description]
            found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
            for row in found:
                row.pop("distinct_exact", None)
            assert found == expected
        assert connection.execute("SELECT count(*) FROM games").fetchall() == [(0,)]
        assert connection.execute("SELECT sum(n_games) FROM cells").fetchall() == [
            (90 * len(cells),)
        ]
