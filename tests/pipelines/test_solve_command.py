"""`mancalab solve`: what it prints, with which exit code, and what it refuses."""

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command import mancalab, refused

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tables where no other test or earlier version has kept some."""
    monkeypatch.setattr("sim.endgames.cache_home", lambda: tmp_path)


def solved(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    """Return the one JSON object that the command prints."""
    left, out, _ = mancalab(capsys, "solve", *arguments, "--format", "json")
    assert (left, out.count("\n")) == (code, 1)
    return json.loads(out)


def test_json_of_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    document = solved(capsys, "kalah", "--pits", "2", "--seeds", "2")
    assert document.pop("seconds") >= 0
    assert document.pop("positions") > 0
    assert document == {
        "variant": "kalah", "solved": True, "margin": -2, "outcome": "loss", "bounds": [-2, -2],
        "to_move": 0, "unsolved": None, "notes": [],
        "moves": [
            {"pit": 0, "margin": -4, "outcome": "loss", "bounds": [-4, -4], "best": False},
            {"pit": 1, "margin": -2, "outcome": "loss", "bounds": [-2, -2], "best": True},
        ],
    }  # fmt: skip


TEXT = """\
kalah 3×2: player 0 wins by 4 under perfect play

player 0's first moves, and what they are worth to player 0
pit  margin  outcome
──────────────────────────
  0      -8  loss
  1       4  win      best
  2       0  draw
"""


def test_a_game_to_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = mancalab(capsys, "solve", "kalah", "--pits", "3", "--set", "board.seeds=2")
    assert code == 0
    table, _, last = out.rpartition("\n\n")
    assert [line.rstrip() for line in table.splitlines()] == TEXT.splitlines()
    assert last.split()[1:3] == ["positions", "in"]


@pytest.mark.parametrize(
    ("arguments", "verdict"),
    [
        (["basic", "--pits", "3", "--seeds", "3"], "basic 3×3: player 0 wins under perfect play"),
        (["kalah", "--pits", "1", "--seeds", "1"], "kalah 1×1: a draw under perfect play"),
        (
            ["kalah", "--pits", "2", "--set", "board.layout=[[0, 0], [2, 1]]"],
            "kalah 2 pits: player 1 wins by 3 under perfect play",
        ),
    ],
)
def test_verdicts(capsys: pytest.CaptureFixture[str], arguments: list[str], verdict: str) -> None:
    code, out, _ = mancalab(capsys, "solve", *arguments)
    assert (code, out.splitlines()[0]) == (0, verdict)
    assert ("margin" in out) == (arguments[0] != "basic" and "first moves" in out)


def test_rules_solved_instead_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = "oware", "--pits", "2", "--seeds", "2"
    code, out, _ = mancalab(capsys, "solve", *arguments)
    assert code == 0
    assert "note: end.repetition is left out: play without end is worth 0" in out
    assert max(map(len, out.splitlines())) <= 80
    notes = solved(capsys, *arguments)["notes"]
    assert [note.split()[0] for note in notes] == [
        "end.win_seeds", "end.repetition", "end.max_plies",
    ]  # fmt: skip
    keys = "--set", "end.max_plies=20"
    (note,) = solved(capsys, "kalah", "--pits", "3", "--seeds", "2", *keys)["notes"]
    assert note.startswith("end.max_plies is left out")


def test_what_needs_more_memory_is_not_solved(capsys: pytest.CaptureFixture[str]) -> None:
    document = solved(capsys, "awari", "--memory", "2GiB", code=1)
    assert (document["solved"], document["margin"], document["outcome"]) == (False, None, None)
    assert document["moves"][0] == {
        "pit": 0, "margin": None, "outcome": None, "bounds": [-48, 48], "best": False,
    }  # fmt: skip
    assert document["unsolved"].startswith("not solved within 2,048.0 MiB: the endgame table of")
    code, out, err = mancalab(capsys, "solve", "awari")
    assert (code, err) == (1, "")
    assert out.startswith("awari 6×4: not solved within 1,024.0 MiB: the endgame table of all 48")


def test_what_takes_longer_is_not_solved(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = mancalab(capsys, "solve", "kalah", "--seeds", "6", "--seconds", "0.2")
    assert code == 1
    assert out.startswith("kalah 6×6: not solved within 0.2 seconds\n")
    assert "-72 to 72  not known" in out


def test_endgames_as_lincke_has_tabulated_them(capsys: pytest.CaptureFixture[str]) -> None:
    document = solved(capsys, "awari", "--endgame", "8")
    rows = csv.DictReader((ROOT / "data/awari_score_distribution.csv").read_text().splitlines())
    published: dict[str, dict[str, int]] = {}
    for row in rows:
        values = published.setdefault(row["stones_on_board"], {})
        values[row["value_mover_minus_opponent"]] = int(row["count_published"])
    assert (document["variant"], document["counts"]) == ("awari", published)


def test_endgames_to_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = mancalab(capsys, "solve", "awari", "--endgame", "1")
    assert code == 0
    assert [line.split() for line in out.splitlines()[2:5]] == [
        ["0", "0", "1"], ["1", "-1", "7"], ["1", "+1", "5"],
    ]  # fmt: skip
    assert out.splitlines()[5].startswith("note: end.max_plies")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'VARIANT'"),
        (["nope"], "there is no variant 'nope'"),
        (["kalah", "--pits", "13"], "board.pits = 13 is not allowed"),
        (["kalah", "--pits", "5,6"], "--pits"),
        (["kalah", "--seeds", "0"], "board.seeds = 0 is not allowed"),
        (["kalah", "--pits", "3", "--set", "board.pits=4"], "board.pits and --pits are both given"),
        (["kalah", "--set", "end.when=no-move", "--set", "end.when=side-empty"], "2 times"),
        (["sungka", "--set", "match.kind=sunog"], "--set match.kind=single"),
        (["kalah", "--memory", "lots"], "--memory lots: give bytes such as 512MiB"),
        (["kalah", "--memory", "2G"], "--memory 2G: give bytes"),
        (["kalah", "--memory", "-1"], "--memory -1: give bytes"),
        (["kalah", "--memory", "1kB"], "too few to solve in"),
        (["kalah", "--pits", "2", "--memory", "1e18"], "are not to be had here"),
        (["kalah", "--seconds", "0"], "--seconds 0: give a number of seconds above 0"),
        (["kalah", "--seconds", "nan"], "--seconds nan: give a number"),
        (["kalah", "--seconds", "soon"], "--seconds"),
        (["awari", "--endgame", "18"], "ask for 17 seeds or fewer"),
        (["awari", "--endgame", "-1"], "give an integer from 0"),
        (["awari", "--endgame", "3", "--seconds", "9"], "--endgame goes without --seconds"),
        (["sungka", "--endgame", "2", "--set", "match.kind=sunog"], "--set match.kind=single"),
        (["kalah", "--format", "xml"], "'xml' is not one of"),
    ],
    ids=lambda part: " ".join(part)[:40] if isinstance(part, list) else "",
)
def test_what_is_wrong_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert message in refused(mancalab(capsys, "solve", *arguments))


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["kalah", "--pits", "7", "--seeds", "6"], "first moves solved"),
        (["awari", "--pits", "6", "--endgame", "15"], "endgames: 1"),
    ],
    ids=["search", "table"],
)
def test_an_interrupt_ends_it_at_once(tmp_path: Path, arguments: list[str], line: str) -> None:
    program = (
        "from pathlib import Path; from pipelines import cli, progress; from sim import endgames;"
        "endgames.cache_home = lambda: Path('cache');"  # no table is there yet
        "progress.EVERY = 0.1; cli.main()"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", program, "solve", *arguments, "--memory", "4GiB"],
        env=environment, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    assert any(line in told for told in process.stderr)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err.endswith("mancalab: interrupted\n")
    assert "Traceback" not in err
