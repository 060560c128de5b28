"""`mancalab sql`: one statement in four formats, scripts, the prompt, and errors."""

import csv
import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import mancalab, refused
from made import cell, played
from rich.cells import cell_len

from reports.shell import PROMPT, Shell

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("runs"), [cell("kalah"), cell("owari")], range(120))


def asked(capsys: Capture, folder: Path, sql: str, form: str) -> str:
    code, out, err = mancalab(capsys, "sql", str(folder), "-c", sql, "--format", form)
    assert (code, err) == (0, "")
    return out


def objects(capsys: Capture, folder: Path, sql: str) -> Any:
    return json.loads(asked(capsys, folder, sql, "json"), parse_constant=pytest.fail)


def test_json_is_an_array_of_objects(folder: Path, capsys: Capture) -> None:
    found = objects(capsys, folder, "SELECT variant, n_games FROM cells ORDER BY variant")
    assert found == [{"variant": "kalah", "n_games": 120}, {"variant": "owari", "n_games": 120}]
    assert objects(capsys, folder, "FROM cells WHERE false") == []
    assert len(objects(capsys, folder, "FROM games JOIN rounds USING (cell, game)")) == 240


def test_json_is_exact(folder: Path, capsys: Capture) -> None:
    sql = """SELECT 'nan'::DOUBLE AS nan, 1 / 0 AS inf, NULL AS nothing, 2::HUGEINT ** 1 AS two,
    170141183460469231731687303715884105727::HUGEINT AS huge, 18446744073709551615 AS digest,
    [1, NULL, 3] AS list, {'a': [0.5, 0.1]} AS struct, true AS yes, 'a "b" ½' AS text,
    DATE '2020-02-29' AS day, 1 AS n, 2 AS n, 0.1 + 0.2 AS three, 1e-300 AS small"""
    [row] = objects(capsys, folder, sql)
    assert row == {
        "nan": None, "inf": None, "nothing": None, "two": 2, "huge": 2**127 - 1,
        "digest": 2**64 - 1, "list": [1, None, 3], "struct": {"a": [0.5, 0.1]}, "yes": True,
        "text": 'a "b" ½', "day": "2020-02-29", "n": 1, "n_2": 2, "three": 0.3, "small": 1e-300,
    }  # fmt: skip


def test_csv_is_complete_and_exact(folder: Path, capsys: Capture) -> None:
    sql = "SELECT game, points0, move_list, 1 / 3 AS third, NULL AS nothing, 'a,\"b' AS text"
    out = asked(capsys, folder, f"{sql} FROM rounds JOIN games USING (cell, game)", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 240
    for row in rows:
        assert row["points0"] in ("0.0", "0.5", "1.0")
        assert all(0 <= pit < 6 for pit in json.loads(row["move_list"]))
        assert (float(row["third"]), row["nothing"], row["text"]) == (1 / 3, "", 'a,"b')


def test_markdown_is_complete(folder: Path, capsys: Capture) -> None:
    out = asked(capsys, folder, "SELECT game, 'a|b\nc' AS text FROM games", "md").splitlines()
    assert out[:3] == ["| game | text |", "| ---: | --- |", "| 0 | a\\|b c |"]
    assert len(out) == 242


@pytest.mark.parametrize(
    "sql",
    [
        "FROM cells",
        "FROM games",
        "FROM games LIMIT 2",
        "FROM rounds",
        "FROM moves LIMIT 12",
        "SELECT repeat('wide ', 60) AS text, 5 AS number",
        "SELECT repeat('漢', 60) AS text, 5 AS number",
        "SELECT 1 AS " + "a" * 200,
        "SELECT * FROM (SELECT 1) CROSS JOIN cells CROSS JOIN games LIMIT 20",
        "SUMMARIZE games",
        "FROM cells WHERE false",
    ],
)
def test_tables_fit_80_columns(folder: Path, sql: str, capsys: Capture) -> None:
    lines = asked(capsys, folder, sql, "table").splitlines()
    assert max(map(cell_len, lines)) <= 80


def test_tables_say_what_they_leave_out(folder: Path, capsys: Capture) -> None:
    out = asked(capsys, folder, "FROM games", "table").splitlines()
    assert out[-2:] == [
        "No room for plies, turns, laps, reason, digest",
        "The first 100 rows; `--format csv` or `json` writes all.",
    ]
    assert len(out) == 104
    # A few rows stand side by side, so that nothing is left out.
    out = asked(capsys, folder, "FROM games LIMIT 2", "table").splitlines()
    assert [line.split()[0] for line in out[-2:]] == ["reason", "digest"]


def test_tables_never_cut_numbers(folder: Path, capsys: Capture) -> None:
    out = asked(capsys, folder, "SELECT repeat('x', 90) AS t, 2::HUGEINT ** 60 AS n", "table")
    assert "…" in out
    assert "1.15292e+18" in out


def test_functions_give_the_reports_intervals(folder: Path, capsys: Capture) -> None:
    [row] = objects(
        capsys, folder, "SELECT share_low(55, 0, 45) AS low, share_high(55, 0, 45) AS high"
    )
    assert (row["low"], row["high"]) == pytest.approx((0.45244603, 0.64385462), abs=1e-7)


def test_several_statements_give_the_last_ones_rows(folder: Path, capsys: Capture) -> None:
    sql = "CREATE TABLE mine AS SELECT 7 AS n; SELECT n FROM mine; -- done"
    assert objects(capsys, folder, sql) == [{"n": 7}]
    assert asked(capsys, folder, "-- nothing", "json") == ""


@pytest.mark.parametrize("form", ["table", "csv", "json"])
@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELEC 1", 'syntax error at or near "SELEC"'),
        ("SELECT foo FROM games", '"foo" not found'),
        ("FROM nosuch", "nosuch does not exist: the views are cells, games, rounds, moves"),
        ("FROM folder", "folder does not exist"),  # no variable of the program
        ("SELECT 'a'::INTEGER", "Could not convert"),
        ("SELECT\n\nsum(\n", "syntax error"),
        ("SELECT ';", "unterminated"),
    ],
)
def test_wrong_sql_is_a_line(folder: Path, sql: str, says: str, form: str, capsys: Capture) -> None:
    said = mancalab(capsys, "sql", str(folder), "-c", sql, "--format", form)
    assert says in refused(said)


def test_other_errors_are_a_line(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    assert str(tmp_path) in refused(mancalab(capsys, "sql", str(tmp_path), "-c", "FROM cells"))
    message = refused(mancalab(capsys, "sql", str(folder), "-c", "FROM cells", "--format", "xml"))
    assert "give table, md, csv, json" in message


@pytest.mark.parametrize("name", ["games", "cells"])
@pytest.mark.parametrize("place", ["end", "whole", "other"])
def test_a_damaged_file_is_a_line(tmp_path: Path, name: str, place: str, capsys: Capture) -> None:
    folder = played(tmp_path, [cell("kalah")], range(30))
    [path] = (folder / name).iterdir()
    if place == "other":
        pq.write_table(pa.table({"a": [1]}), path)
    else:
        path.write_bytes(path.read_bytes()[:-4] + b"junk" if place == "end" else b"junk")
    for command in (["sql", str(folder), "-c", "FROM games"], ["report", str(folder)]):
        message = refused(mancalab(capsys, *command))
        # A file of games is known by its checksum; that of the table of cells is nowhere.
        where = f"{folder}: cannot be read (" if name == "cells" else f"{path}: damaged, "
        assert message.startswith(f"mancalab: {where}")
        assert message.endswith(": `mancalab verify` says what is wrong\n")
    (folder / "manifest.jsonl").unlink()
    refused(mancalab(capsys, "sql", str(folder), "-c", "FROM games"))


def test_a_warning_where_moves_were_not_logged(tmp_path: Path, capsys: Capture) -> None:
    bare = played(tmp_path, [cell("kalah")], range(3), log="games")
    for sql in ("SELECT count(*) AS n FROM moves", "SELECT count(move_list) AS n FROM rounds"):
        code, out, err = mancalab(capsys, "sql", str(bare), "-c", sql, "--format", "csv")
        assert (code, out) == (0, "n\n0\n")
        assert err == (
            "mancalab: 3 games were logged without moves (--log games): `moves` lacks them, their"
            " `move_list` is null\n"
        )
    assert asked(capsys, bare, "SELECT count(*) AS n FROM games -- not moves", "csv") == "n\n3\n"


def test_a_script_from_a_pipe(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT 1 AS a;\nSELECT ';' AS b\n"))
    code, out, _ = mancalab(capsys, "sql", str(folder), "--format", "csv")
    assert (code, out) == (0, "a\n1\nb\n;\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT 1 AS a; SELEC 2"))
    assert "SELEC" in refused(mancalab(capsys, "sql", str(folder)))


def typed(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
    *lines: str | type[BaseException],
) -> list[str]:
    """Type lines at the prompt, Ctrl-D at last; return what is printed after each."""
    said: list[str] = []
    prompts: list[str] = []
    rest = iter((*lines, EOFError))

    def answer(prompt: str) -> str:
        said.append(capsys.readouterr().out)
        prompts.append(prompt)
        line = next(rest)
        if isinstance(line, str):
            return line
        raise line

    monkeypatch.setattr("builtins.input", answer)
    Shell([folder], "table").prompt()
    assert set(prompts) <= {"mancalab> ", "     ...> "}
    marks = ["(more)" * prompt.startswith(" ") for prompt in prompts]
    return [text + mark for text, mark in zip(said, marks, strict=True)][1:]


def test_the_prompt(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    lines = ["SELECT 1", "AS one;", "SELECT ';", "' AS text;", "SELECT 1; SELECT 2 AS two;", ""]
    said = typed(folder, monkeypatch, capsys, *lines)
    assert [text.split() for text in said] == [
        ["(more)"], ["one", "───", "1"], ["(more)"], ["text", "────", ";"],
        ["1", "─", "1", "two", "───", "2"], [],
    ]  # fmt: skip


def test_the_prompt_outlives_errors(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    lines = [
        "SELEC 1;",
        "SELECT 'a'::INTEGER;",
        ".nope",
        "SELECT 3",
        KeyboardInterrupt,
        "SELECT 4;",
    ]
    said = typed(folder, monkeypatch, capsys, *lines)
    assert [text.count("\n") for text in said] == [1, 1, 1, 0, 1, 3]
    assert [text[:4] for text in said] == ["SQL:", "SQL:", "ther", "(mor", "\n", "4\n─\n"]


def test_dot_commands(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    helped, tables = typed(folder, monkeypatch, capsys, ".help", ".tables")
    assert "Ctrl-D" in helped
    assert max(map(len, tables.splitlines())) <= 80
    for view in ("cells", "games", "rounds", "moves"):
        assert f"\n{view} " in f"\n{tables}"
    assert "legal_moves" in tables
    assert typed(folder, monkeypatch, capsys, ".quit", "SELECT 1;") == []


def test_an_interrupt_stops_what_runs(folder: Path) -> None:
    shell = Shell([folder], "table")
    interrupt = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    interrupt.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            shell.run("SELECT count(*) FROM range(1_000_000_000_000) AS t(i) WHERE sin(i) > 2")
    finally:
        interrupt.cancel()
    shell.run("SELECT 1")


def test_in_a_terminal(folder: Path, tmp_path: Path) -> None:
    """A statement and Ctrl-D; nothing is left in the home folder, no history either."""
    end, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", "from pipelines.cli import main; main()", "sql", str(folder)],
        stdin=other,
        stdout=other,
        stderr=other,
        env=os.environ
        | {"TERM": "dumb", "HOME": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    os.close(other)
    try:
        # Each key is pressed once the prompt stands: what is typed before may be thrown away.
        said_until(end, PROMPT)
        os.write(end, b"SELECT 40 + 2 AS answer;\n")
        said = said_until(end, "42", PROMPT)
        os.write(end, b"\x04")
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        os.close(end)
    assert "answer" in said
    assert list(tmp_path.iterdir()) == []


def said_until(end: int, *marks: str) -> str:
    """Read from a terminal until all marks have come, one after the other; return what came."""
    said, deadline = "", time.monotonic() + 60
    while True:
        place = 0
        for mark in marks:
            place = said.find(mark, place) + 1
            if not place:
                break
        else:
            return said
        assert time.monotonic() < deadline, f"no {marks} in {said!r}"
        if select.select([end], [], [], 1)[0]:
            said += os.read(end, 4096).decode()
