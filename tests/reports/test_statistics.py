"""The report from statistics equals the same report worked out from the rows, figure by figure."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import mancalab, refused
from made import cell, given, played
from played import run, small_shards  # noqa: F401

from pipelines import tallies
from pipelines.merge import merge
from pipelines.views import connect
from reports import functions
from reports.library import load_query
from reports.report import render

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


def test_equal_where_a_dataset_grows(tmp_path: Path, small_shards: None) -> None:  # noqa: F811
    folder = run(tmp_path / "d", games=900, grid={"variant": ["kalah", "sunka"]})
    equal_reports(folder)
    run(folder, games=1500, grid={"variant": ["kalah", "sunka", "owari"]})
    answers = equal_reports(folder)
    assert [row["games"] for row in answers["balance"]] == [1500] * 3
    assert equal_reports(folder, where="variant <> 'sunka'")["balance"] == [
        row for row in answers["balance"] if row["variant"] != "sunka"
    ]


def test_equal_where_datasets_are_merged(tmp_path: Path) -> None:
    parts = [
        played(tmp_path / "a", CELLS[:2], range(500)),
        played(tmp_path / "b", CELLS[1:], range(300, 800)),
        without_statistics(played(tmp_path / "c", MATCHES, range(50), log="games")),
        played(tmp_path / "d", CELLS[:1], range(200), seed=5),
    ]
    for number, part in enumerate(parts):  # a plan of each, which merging reads
        games = f"games = 1000\nseed = {5 if number == 3 else 0}\n"
        log = "[output]\nlog = 'games'\n" if number == 2 else ""
        (part / "plan.toml").write_text(f"{games}[grid]\nvariant = ['kalah']\n{log}")
    together = equal_reports(*parts)
    games = {row["cell"]: row["games"] for row in together["balance"]}
    assert [games[cell.id] for cell in CELLS] == [700, 800, 500, 500]
    merged, _ = merge(parts, tmp_path / "merged")
    assert equal_reports(merged.folder) == together
    assert all(row.statistics for row in merged.rows)


def test_games_in_several_datasets_count_once(tmp_path: Path) -> None:
    whole = equal_reports(played(tmp_path / "whole", CELLS, range(600)))
    parts = [
        played(tmp_path / "a", CELLS, range(250)),
        played(tmp_path / "b", CELLS[:3], range(100, 600)),
        played(tmp_path / "c", CELLS, range(400, 600), log="games"),
        without_statistics(played(tmp_path / "d", CELLS[3:], range(100, 500))),
    ]
    assert equal_reports(*parts) == whole
    assert equal_reports(*parts[::-1]) == whole


def test_a_cell_without_games_and_one_of_repeats(tmp_path: Path) -> None:
    folder = given(
        tmp_path / "d",
        (cell("kalah"), []),
        (cell("sungka"), [{}] * 50),
        (cell("easy"), [{"digest": n % 7, "winner": None, "score0": n % 3} for n in range(40)]),
    )
    found = {row["variant"]: row for row in equal_reports(folder)["balance"]}
    assert [found[name]["games"] for name in ("kalah", "sungka", "easy")] == [0, 50, 40]
    assert [found[name]["distinct_games"] for name in ("kalah", "sungka", "easy")] == [0, 1, 7]


def games_of(*folders: Path) -> int:
    with connect(*folders) as connection:
        [[games]] = connection.execute("SELECT sum(games) FROM statistics").fetchall()
    return int(games)


def test_games_without_rows_beside_others(tmp_path: Path) -> None:
    """A span of statistics is taken whole or not at all, and rows fill what it leaves."""
    none = played(tmp_path / "none", CELLS[:1], range(100, 300), log="none")
    rows = played(tmp_path / "rows", CELLS[:1], range(250))
    wider = played(tmp_path / "wider", CELLS[:1], range(400))
    assert games_of(none) == 200
    assert games_of(none, rows) == games_of(rows, none) == 300
    assert games_of(none, wider) == 400  # its rows are taken in place of them
    assert games_of(none, rows, wider) == 400


def test_overlapping_games_without_rows_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = played(tmp_path / "one", CELLS[:1], range(200), log="none")
    two = played(tmp_path / "two", CELLS[:1], range(100, 350), log="none")
    said = refused(mancalab(capsys, "report", str(one), str(two)))
    assert f"{one}/stats/" in said
    assert "100 of its games of cell" in said
    assert "statistics of overlapping games cannot be added" in said
    inner = played(tmp_path / "inner", CELLS[:1], range(50, 150), log="none")
    assert games_of(one, inner) == games_of(inner, one) == 200


@pytest.mark.parametrize("query", ["openings", "ends", "lengths", "rounds"])
def test_queries_of_rows_say_that_none_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], query: str
) -> None:
    none = played(tmp_path / "none", CELLS[:1], range(30), log="none")
    said = refused(mancalab(capsys, "report", str(none), "--query", query))
    assert "of 30 games only statistics are kept (--log none)" in said
    assert "--log games" in said
    rows = played(tmp_path / "rows", CELLS[:1], range(30, 50))
    code, _, told = mancalab(capsys, "report", str(none), str(rows), "--query", query)
    assert (code, told.count("\n")) == (0, 1)
    assert "of 30 games only statistics are kept" in told


def test_an_estimate_is_marked(tmp_path: Path) -> None:
    games = 3 * tallies.SMALLEST
    folder = played(tmp_path, [cell("kalah", board_pits=2), cell("kalah")], range(games))
    text = render([folder])
    assert f"  {games:,} " in text
    assert f" ~{games:,} " in text  # all differ, which the estimate then gives exactly
    assert "~: an estimate" in text
    few, many = json.loads(render([folder], format="json"))["cells"]
    assert (few["distinct_exact"], many["distinct_exact"]) == (True, False)
    assert type(many["distinct_games"]) is int
    assert many["distinct_games"] == games
    assert f"~{games:,}" in render([folder], "advantage")
    # The same from the rows, where the statistics are gone.
    assert render([without_statistics(folder)]) == text


def test_a_damaged_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = played(tmp_path / "d", CELLS[:1], range(500))
    [file] = (folder / "games").iterdir()
    data = bytearray(file.read_bytes())
    data[200:-8000] = bytes(len(data) - 8200)
    file.write_bytes(bytes(data))
    said = refused(mancalab(capsys, "report", str(folder), "--query", "ends"))
    assert said.startswith(f"mancalab: {file}: damaged")
    assert mancalab(capsys, "report", str(folder))[::2] == (0, "")  # its statistics are whole
    [statistics] = (folder / "stats").iterdir()
    statistics.write_bytes(b"PAR1 but no more")
    said = refused(mancalab(capsys, "report", str(folder)))
    assert f"{folder}/" in said
    assert "damaged" in said


def test_sums_over_a_million_million_games_do_not_overflow(tmp_path: Path) -> None:
    connection = connect(given(tmp_path, (cell("kalah"), [{}])))
    counts = "[{'value': -40, 'games': 1000000000000::BIGINT}]"
    [(total, product, squares)] = connection.execute(
        f"SELECT sum_of(c), sum_of(c) * sum_of(c), squares_of(c) FROM (SELECT {counts} AS c)"
    ).fetchall()
    assert (total, product, squares) == (-40 * 10**12, 1600 * 10**24, 1600 * 10**12)


def test_damaged_statistics_are_not_reported_from(tmp_path: Path) -> None:
    whole = played(tmp_path / "d", [cell("kalah")], range(500))
    before = connect(whole).execute("FROM statistics").fetchall()
    [file] = (whole / "stats").glob("*.parquet")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 4  # as long as before, and it may well be readable
    file.write_bytes(data)
    assert connect(whole).execute("FROM statistics").fetchall() == before
