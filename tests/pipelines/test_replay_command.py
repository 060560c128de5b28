"""`mancalab replay`: one game, or a batch of them."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from command import mancalab, refused

CASES = Path(__file__).parents[1] / "cases"


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_json_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = mancalab(
        capsys, "replay", "sungka", "--moves", "3", "--set", "board.pits=7", "--format", "json"
    )
    assert (code, err, out.count("\n")) == (0, "", 1)
    replayed = json.loads(out)
    assert list(replayed) == [
        "variant", "rules", "positions", "moves", "rounds", "over", "reason", "score", "winner",
    ]  # fmt: skip
    assert replayed["moves"] == [
        {
            "ply": 1, "player": 0, "pit": 3, "lifted": 7, "laps": 2, "captured": 9, "gained": 10,
            "extra_turn": False,
        }
    ]  # fmt: skip
    assert replayed["positions"][0] == {
        "ply": 0, "round": 1, "to_move": 0, "pits": [[7] * 7, [7] * 7], "stores": [0, 0],
        "closed": [[], []], "legal": [0, 1, 2, 3, 4, 5, 6],
    }  # fmt: skip
    assert replayed["rules"]["end.when"] == "board-empty"


TRANSCRIPT = """\
kalah, the start
         1   0
[  0]    2   2
         2   2  [  0]
         0   1
player 0 to move, legal pits 0 1

ply 1: player 0 sows pit 0 (2), gains 1, moves again
         1   0
[  0]    2   2
         0   3  [  1]
         0   1
player 0 to move, legal pits 1

ply 2: player 0 sows pit 1 (3), gains 1
         1   0
[  6]    0   0
         0   0  [  2]
         0   1
over (side-empty): 2 to 6, player 1 wins
"""


def test_a_game_to_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--set", "board.pits=2", "--set", "board.seeds=2"]
    code, out, _ = mancalab(capsys, "replay", "kalah", "--moves", "0 1", *arguments)
    assert code == 0
    assert out == TRANSCRIPT


def test_a_match_to_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    (case,) = (
        case
        for case in lines((CASES / "games.jsonl").read_text("utf-8"))
        if case.get("note") == "burnt-out comes before max-rounds"
    )
    keys = [f"{name}={json.dumps(value)}" for name, value in case["input"]["set"].items()]
    sets = [part for item in keys for part in ("--set", item)]
    moves = " ".join(map(str, case["input"]["moves"]))
    code, out, _ = mancalab(capsys, "replay", "kalah", *sets, "--moves", moves)
    assert code == 0
    assert "round 1 ends (side-empty) 3 to 15" in out
    assert "   x   x" in out
    assert out.endswith("over (burnt-out): 0 to 18, player 1 wins\n")


def test_the_widest_board_fits_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    sets = ["--set", "board.pits=12", "--set", "board.seeds=10"]
    _, out, _ = mancalab(capsys, "replay", "sungka", *sets, "--moves", "0 1 2")
    assert max(map(len, out.splitlines())) <= 80


def test_clockwise_is_drawn_mirrored(capsys: pytest.CaptureFixture[str]) -> None:
    _, ccw, _ = mancalab(capsys, "replay", "dakon", "--moves", "3")
    _, cw, _ = mancalab(capsys, "replay", "congkak", "--moves", "3")
    south_ccw, south_cw = ccw.splitlines()[10], cw.splitlines()[10]
    assert south_ccw.split() == ["8", "8", "8", "0", "8", "8", "8", "[", "10]"]
    assert south_cw.split() == ["[", "10]", "8", "8", "8", "0", "8", "8", "8"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give a VARIANT"),
        (["nope"], "there is no variant 'nope'"),
        (["kalah", "--moves", "2 x"], "'x' is no pit"),
        (["kalah", "--moves", "-1"], "'-1' is no pit"),
        (["kalah", "--moves", "9" * 5000], "is no pit"),
        (["kalah", "--moves", "2 2"], "ply 2: pit 2 is not legal for player 0; legal pits: 0, 1"),
        (["kalah", "--moves", "12"], "ply 1: pit 12 is not legal"),
        (["kalah", "--set", "board.pits=13"], "board.pits = 13 is not allowed"),
        (["kalah", "--set", "board.pits=3", "--set", "board.pits=4"], "is given 2 times"),
        (["kalah", "--set", "board.pits"], "give KEY=VALUE"),
        (["kalah", "--format", "xml"], "'xml' is not one of"),
        (["kalah", "--bogus"], "No such option: --bogus"),
        (["kalah", "sungka"], "unexpected extra argument"),
        (["kalah", "--batch", "x.jsonl"], "--batch goes without VARIANT"),
        (["--batch", "absent.jsonl"], "absent.jsonl: cannot be read"),
        (["--batch", "."], ".: cannot be read: Is a directory"),
        (["--batch", ""], "cannot be read"),
    ],
    ids=lambda part: str(part)[:40],
)
def test_what_is_wrong_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert message in refused(mancalab(capsys, "replay", *arguments))


def test_a_batch_answers_in_input_order(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    batch = tmp_path / "batch.jsonl"
    batch.write_text(
        '{"variant": "kalah", "moves": [2]}\n'
        '{"variant": "owari", "set": {"board.pits": 5}, "moves": []}\n'
        '{"variant": "oware", "moves": [], "start": {"pits": [[0,0,0,0,0,1],[1,0,0,0,0,0]],'
        ' "stores": [1, 2], "to_move": 1}}',
        encoding="utf-8",
    )
    code, out, err = mancalab(capsys, "replay", "--batch", str(batch))
    assert (code, err) == (0, "")
    kalah, owari, oware = lines(out)
    assert kalah["moves"][0]["extra_turn"]
    assert owari["rules"]["board.pits"] == 5
    assert oware["positions"][0]["to_move"] == 1


WRONG = {
    "": "not valid JSON",
    "{": "not valid JSON",
    "[]": "not a JSON object",
    "3": "not a JSON object",
    "NaN": "not a JSON object",
    "[" * 100_000: "nested too deeply",
    '{"moves": [1]}': "variant must be given",
    '{"variant": 5, "moves": [1]}': "variant must be given",
    '{"variant": "kalah"}': "moves must be given",
    '{"variant": "kalah", "moves": "2 3"}': "moves must be given",
    '{"variant": "kalah", "moves": {"2": 3}}': "moves must be given",
    '{"variant": "kalah", "moves": [2], "seed": 3}': "no input key 'seed'",
    '{"variant": "kalah", "moves": [2], "moves": [3]}': "'moves' is given twice",
    '{"variant": "nope", "moves": []}': "there is no variant 'nope'",
    '{"variant": "absent.toml", "moves": []}': "cannot be read",
    '{"variant": "a\\u0000.toml", "moves": []}': "cannot be read",
    '{"variant": "kalah", "moves": [], "set": []}': "set must be an object",
    '{"variant": "kalah", "moves": [], "set": {"board.pitz": 3}}': "did you mean 'board.pits'",
    '{"variant": "kalah", "moves": [], "set": {"board.pits": "3"}}': 'board.pits = "3"',
    '{"variant": "kalah", "moves": [], "set": {"board.pits": {}}}': "board.pits = {}",
    '{"variant": "kalah", "moves": [2.0]}': "ply 1: pit 2.0 is not legal",
    '{"variant": "kalah", "moves": [true]}': "ply 1: pit true is not legal",
    '{"variant": "kalah", "moves": [null]}': "ply 1: pit null is not legal",
    '{"variant": "kalah", "moves": [[2]]}': "ply 1: pit [2] is not legal",
    '{"variant": "kalah", "moves": [1e999]}': "ply 1: pit Infinity is not legal",
    f'{{"variant": "kalah", "moves": [{"9" * 30}]}}': "ply 1: pit 999999999999999",
    f'{{"variant": "kalah", "moves": [{"9" * 5000}]}}': "thousands of digits",
    '{"variant": "kalah", "moves": [], "start": 5}': "start must be an object",
    '{"variant": "kalah", "moves": [], "start": {"pits": [[], []]}}': "start must be an object",
}


@pytest.mark.parametrize(("line", "message"), WRONG.items(), ids=lambda part: part[:40])
def test_a_wrong_line_is_an_error_and_the_others_go_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str, message: str
) -> None:
    good = '{"variant": "kalah", "moves": [2]}'
    given = f"{good}\n{line}\n{good}\n".encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    code, out, err = mancalab(capsys, "replay", "--batch", "-")
    assert (code, err) == (2, "")
    first, wrong, last = lines(out)
    assert first == last
    assert list(wrong) == ["error"]
    assert wrong["error"].startswith("line 2: ")
    assert message in wrong["error"]


def test_lines_that_are_no_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    batch = tmp_path / "batch.jsonl"
    batch.write_bytes(b'\xef\xbb\xbf{"variant": "kalah", "moves": []}\n\xff\xfe\n\x00\n')
    code, out, _ = mancalab(capsys, "replay", "--batch", str(batch))
    bom, latin, null = lines(out)
    assert code == 2
    assert bom["variant"] == "kalah"
    assert latin == {"error": "line 2: not a line of UTF-8 text"}
    assert "not valid JSON" in null["error"]


def test_an_empty_batch_is_done(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    assert mancalab(capsys, "replay", "--batch", str(tmp_path / "empty.jsonl")) == (0, "", "")
