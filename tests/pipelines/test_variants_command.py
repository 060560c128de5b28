"""`mancalab variants`: the list, one variant's rules, the check of a file, the rule keys."""

import subprocess
import sys
from pathlib import Path

import pytest
from command import mancalab, refused

from sim.presets import load_variant, preset_names
from sim.rules import KEYS

KALAH = "[board]\npits = 6\nseeds = 4\n[capture]\nkind = 'opposite'\n"


def test_the_list_names_every_preset(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = mancalab(capsys, "variants")
    assert (code, err) == (0, "")
    assert [name for name in preset_names() if f"\n{name} " not in out] == []


@pytest.mark.parametrize(
    "arguments", [[], ["keys"], *(["show", name] for name in preset_names())], ids=" ".join
)
def test_all_fits_80_columns(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    code, out, _ = mancalab(capsys, "variants", *arguments)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80


def test_show_says_source_sentences_and_toml(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = mancalab(capsys, "variants", "show", "owari", "--set", "board.pits=5")
    assert code == 0
    assert "A Japanese rule page, Mancala Owari" in out
    assert "board.pits=5" in out
    assert "- Every pit starts with 4 seeds, 40 in all." in out
    assert "[board]\npits = 5\nseeds = 4\n" in out
    assert load_variant("owari", {"board.pits": 5}).rules.id in out


def test_check_says_what_a_file_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(KALAH)
    code, out, _ = mancalab(capsys, "variants", "check", str(file))
    assert code == 0
    assert "6 pits a player, 48 seeds" in out
    assert out.endswith("the same game as kalah\n")


def test_check_refuses_a_file_that_is_wrong(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(KALAH.replace("6", "60"))
    message = refused(mancalab(capsys, "variants", "check", str(file)))
    assert f"{file}: board.pits = 60 is not allowed: give an integer from 1 to 12" in message


def test_keys_lists_every_key(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = mancalab(capsys, "variants", "keys")
    named = [line.split()[0].rstrip(",") for line in out.splitlines() if line[0] != " "]
    assert named == list(KEYS)
    assert "board.pits, which must be given" in out
    assert "end.max_plies = 10000" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["shw"], "No such command 'shw'. Did you mean 'show'"),
        (["show"], "Missing argument"),
        (["show", "nope"], "there is no variant"),
        (["show", "kalah", "--set", "match.kind=sunog", "--set", "end.win_seeds=5"], "sunog"),
        (["show", "kalah", "--set", "board.pits=3", "--set", "board.pits=4"], "2 times"),
        (["check", "absent.toml"], "absent.toml: cannot be read"),
    ],
)
def test_what_is_wrong_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert message in refused(mancalab(capsys, "variants", *arguments))


HEAVY = ("numba", "polars", "pyarrow", "duckdb")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["variants", "--help"], ["variants", "show", "kalah"]]
)
def test_nothing_heavy_is_imported(arguments: list[str]) -> None:
    program = (
        "import sys; from pipelines.cli import main\n"
        f"try: main({arguments!r})\n"
        "except SystemExit as left: assert left.code == 0\n"
        f"assert not set({HEAVY!r}) & set(sys.modules), sorted(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
