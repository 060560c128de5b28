"""`mancalab run` and `status` as the user meets them: options, output, exit codes, refusals."""

import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command import mancalab, refused
from played import files_of, rows_of, run

from pipelines import commands
from pipelines import plan as planning
from pipelines.commands.run import whole_number
from pipelines.dataset import read_plans
from pipelines.merge import merge
from sim.errors import UserError

HEAVY = {"numba", "polars", "pyarrow", "duckdb"}


def test_a_run_its_repetition_and_its_growth(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "d")
    code, said, told = mancalab(capsys, "run", "kalah", "sunka", "--games", "1_00", "--out", out)
    assert code == 0
    assert said.startswith(f"{out}: 2 cells, 200 games, ")
    assert said.count("\n") == 1
    assert f"next: mancalab report {out}\n" in told
    before = files_of(Path(out))
    code, said, told = mancalab(capsys, "run", "kalah", "sunka", "--games", "1e2", "--out", out)
    assert (code, told) == (0, "")
    assert said.startswith(f"{out}: complete already, nothing to do: 2 cells, 200 games, ")
    assert files_of(Path(out)) == before
    code, said, _ = mancalab(
        capsys, "run", "kalah", "sunka", "--games", "150", "--out", out, "--format", "json"
    )
    done = json.loads(said.splitlines()[-1])
    assert done == {
        "out": out, "cells": 2, "games": 300, "played": 100, "seconds": done["seconds"],
        "moves": sum(rows_of(Path(out))["plies"].to_pylist()),
    }  # fmt: skip


def test_all_options_make_the_grid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "d"
    code, _, _ = mancalab(
        capsys, "run", "kalah", "easy", "--pits", "3,5", "--seeds", "2..3", "--set",
        "end.leftover=owner", "--set", "end.leftover=opponent", "--set", "board.direction=cw",
        "--agent", "random", "--agent", "greedy", "--pairing", "mirror", "--games", "3",
        "--seed", "11", "--log", "games", "--threads", "1", "--out", str(out),
    )  # fmt: skip
    assert code == 0
    [plan] = read_plans(out)
    assert (plan.seed, plan.games, plan.log, len(plan.cells)) == (11, 3, "games", 2**5)
    assert {cell.seats for cell in plan.cells} == {
        "random against greedy", "greedy against random"
    }  # fmt: skip
    assert {cell.keys["board.direction"] for cell in plan.cells} == {"cw"}


def test_a_plans_file_and_options_write_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('seed = 4\ngames = 50\n[grid]\nvariant = ["kalah"]\n"board.pits" = [4, 5]\n')
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    assert mancalab(capsys, "run", "--plan", str(plan), "--out", a)[0] == 0
    options = ("--seed", "4", "--games", "50", "--pits", "4,5", "--out", b)
    assert mancalab(capsys, "run", "kalah", *options)[0] == 0
    assert files_of(Path(a)) == files_of(Path(b))


def test_a_dry_run_prints_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "d"
    line = ("run", "kalah", "dakon", "congkak", "--games", "100", "--dry-run")
    code, said, told = mancalab(capsys, *line, "--out", str(out))
    assert code == 0
    assert (
        said.splitlines()[0] == "efcfcee57c6768b86bba76e20a22a3df  kalah 6×4, random against random"
    )
    assert said.splitlines()[2:4] == [
        "2 cells of 100 games, seed 0, logging moves: 200 games",
        "200 of them to play, in 1 shard",
    ]
    assert re.fullmatch(
        r"about 0:00:0\d on \d+ processors? here and 0\.\d MB, from games of 2 cells played now",
        said.splitlines()[4],
    )
    assert "1 combination means the same as others and is left out, as: congkak" in told
    assert not out.exists()
    assert mancalab(capsys, *line)[1].splitlines()[:4] == said.splitlines()[:4]
    run(out, games=60, grid={"variant": ["kalah"]})
    before = files_of(out)
    code, said, _ = mancalab(capsys, *line, "--out", str(out), "--format", "json")
    coming = json.loads(said)
    seconds, size = coming.pop("cpu_seconds"), coming.pop("bytes")
    assert coming == {"cells": 2, "games": 200, "missing": 140, "shards": 1, "expected": 140}
    assert 0 <= seconds < 1
    assert 2_000 < size < 50_000  # 140 games of about 50 bytes, and the digests of them
    assert files_of(out) == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "nothing to play: name a variant, such as 'kalah', or give --plan"),
        (["kalahh"], "there is no variant 'kalahh' (did you mean 'kalah'?)"),
        (["nothing.toml"], "run: nothing.toml: "),
        (["kalah", "--pits", "0"], "board.pits = 0 is not allowed: give an integer from 1 to 12"),
        (["kalah", "--half-width", "0"], "run: stop.half_width = 0.0 is not allowed"),
        (["kalah", "--max-games", "9"], "run: [stop] does not say when to stop"),
        (
            ["kalah", "--half-width", "0.1", "--max-games", "x"],
            "--max-games x: give a whole number",
        ),
        (["kalah", "--pits", "13"], "board.pits = 13 is not allowed: give an integer from 1 to 12"),
        (["kalah", "--pits", "7..3"], "--pits 7..3: the range 7..3 is empty"),
        (
            ["kalah", "--pits", "12", "--seeds", "20"],
            "the board holds 480 seeds",
        ),
        (["kalah", "--set", "board.pitts=4"], "no rule key 'board.pitts' (did you mean"),
        (["kalah", "--set", "capture.kind=7"], "capture.kind = 7 is not allowed: give 'none', "),
        (["kalah", "--set", "board.pits"], "--set board.pits: give KEY=VALUE"),
        (["kalah", "--pits", "5", "--set", "board.pits=5"], "--set board.pits and --pits are both"),
        (["owari", "--set", "sowing.relay=occupied"], "[owari, sowing.relay = occupied]"),
        (["kalah", "--agent", "randon"], "there is no agent 'randon' (did you mean 'random'?)"),
        (["kalah", "--pairing", "mirror"], "--pairing mirror: give at least two different agents"),
        (["kalah", "--pairing", "round"], "Invalid value for '--pairing'"),
        (["kalah", "--games", "0"], "games = 0 is not allowed: give an integer from 1 to"),
        (["kalah", "--games", "1.5"], "--games 1.5: give a whole number such as 100_000 or 1e6"),
        (["kalah", "--games", "-3"], "--games -3: give a whole number"),
        (["kalah", "--games", "1e13"], "is not allowed: give an integer from 1 to"),
        (["kalah", "--seed", "x"], "--seed x: give a whole number"),
        (["kalah", "--seed", str(2**63)], "seed = 9223372036854775808 is not allowed"),
        (["kalah", "--log", "nothing"], "Invalid value for '--log'"),
        (["kalah", "--threads", "0"], "Invalid value for '--threads'"),
        (["kalah", "--plan", "plan.toml"], "--plan says what to play: leave out VARIANT"),
        (["kalah", "--plan", ""], "Invalid value for '--plan': an empty name"),
        (["a" * 5000], "there is no variant 'aaa"),
        (["kalah", "--set", "capture.counts=3"], "capture.counts takes a list of sizes from 1 to"),
        (["kalah", "--set", f"board.pits=0x{'f' * 5000}"], "board.pits = a huge number is not"),
        (["--plan", "nothing.toml"], "nothing.toml: cannot be read: No such file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_one_line_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    out = tmp_path / "d"
    assert says in refused(mancalab(capsys, "run", *arguments, "--out", str(out)))
    assert not out.exists()


@pytest.mark.parametrize("option", [["--pits", "4,4"], ["--set", "board.pits=4"] * 2])
def test_a_value_given_twice_is_played_once_as_in_a_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: list[str]
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text("games = 50\n[grid]\nvariant = 'kalah'\n'board.pits' = [4, 4]\n")
    listed = mancalab(capsys, "run", "--plan", str(plan), "--dry-run")
    assert mancalab(capsys, "run", "kalah", *option, "--games", "50", "--dry-run") == listed
    code, said, told = listed
    assert (code, "1 cell of 50 games" in said) == (0, True)
    assert "1 combination means the same as others and is left out, as: kalah" in told


def test_folders_that_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    said = refused(mancalab(capsys, "run", "kalah", "--out", str(tmp_path)))
    assert "holds 'mine.txt' but no dataset" in said
    assert "'--out': an empty name" in refused(mancalab(capsys, "run", "kalah", "--out", ""))
    assert "--out DIR is missing" in refused(mancalab(capsys, "run", "kalah"))
    folder = run(tmp_path / "d", games=20)
    said = refused(mancalab(capsys, "run", "dakon", "congkak", "--out", str(folder)))
    assert "holds another plan: it has kalah 6×4, random against random, which" in said
    assert "no dataset" in refused(mancalab(capsys, "status", str(tmp_path)))


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("100_000", 100_000), ("1e6", 10**6), ("2.5E3", 2500), (" 5 ", 5)],
)
def test_whole_numbers(text: str, number: int) -> None:
    assert whole_number(text, "--games") == number


@pytest.mark.parametrize("text", ["", "-1", "1e-3", "1e999", "1.5", "0x10", "٣", "1__e", "1 000"])
def test_what_is_no_whole_number(text: str) -> None:
    with pytest.raises(UserError, match=r"--games .*: give a whole number"):
        whole_number(text, "--games")


def test_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = run(tmp_path / "d", games=40)
    code, said, told = mancalab(capsys, "status", str(folder))
    assert (code, told) == (0, "")
    assert said.startswith(f"{folder}: complete, 80 of 80 games (100 %)\n")
    line = r"40 of 40 0\.\d{4} \(0\.\d{4} – 0\.\d{4}\) owari 6×4, random against random, seed 0"
    assert re.search(line, " ".join(said.split()))
    plan = (folder / "plan.toml").read_text()
    (folder / "plan.toml").write_text(plan.replace("games = 40", "games = 100"))
    code, said, _ = mancalab(capsys, "status", str(folder))
    assert said.startswith(f"{folder}: unfinished, 80 of 200 games (40 %)\n")
    assert said.endswith(f"to go on: mancalab run --plan {folder}/plan.toml --out {folder}\n")
    code, said, _ = mancalab(capsys, "status", str(folder), "--format", "json")
    state = json.loads(said)
    assert (state["games"], state["planned"], state["running"]) == (80, 200, False)
    assert [entry["games"] for entry in state["by_cell"]] == [40, 40]


def test_an_interruption_while_it_plans_says_how_to_begin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    given = ["run", "kalah", "--pits", "1..12", "--out", str(tmp_path / "d d")]
    monkeypatch.setattr(planning, "parse_plan", interrupted)
    monkeypatch.setattr(sys, "argv", ["/bin/mancalab", *given])
    code, out, err = mancalab(capsys, *given)
    assert (code, out) == (130, "")
    command = f"mancalab run kalah --pits 1..12 --out '{tmp_path}/d d'"
    assert err == f"mancalab: nothing was played; to begin anew: {command}\nmancalab: interrupted\n"
    assert not (tmp_path / "d d").exists()


def test_status_of_a_merged_dataset_that_lacks_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [run(tmp_path / str(seed), games=40, seed=seed) for seed in (1, 2)]
    folder = merge(parts, tmp_path / "d")[0].folder
    text = (folder / "plan.toml").read_text(encoding="utf-8")
    (folder / "plan.toml").write_text(text.replace("games = 40", "games = 50", 1), encoding="utf-8")
    code, said, _ = mancalab(capsys, "status", str(folder))
    assert code == 0
    assert said.startswith(f"{folder}: unfinished, 160 of 180 games (88 %)\n")
    assert " ".join(said.splitlines()[-3:]) == (
        "20 games of 2 cells are missing, such as kalah 6×4, random against random, seed 1: a"
        " merged dataset is not continued: complete the datasets that were merged, then merge them"
        " again"
    )
    assert "run --plan" not in said
    (folder / "plan.toml").write_text("merged = 3\n", encoding="utf-8")
    assert "merged must be written [[merged]]" in refused(mancalab(capsys, "status", str(folder)))


COMMANDS = sorted(module.name for module in pkgutil.iter_modules(commands.__path__))


@pytest.mark.parametrize(
    "command",
    [[], *([name] for name in COMMANDS), *(["variants", name] for name in ("show", "check"))],
    ids=lambda command: " ".join(command) or "mancalab",
)
def test_help_imports_nothing_heavy(command: list[str]) -> None:
    code = f"""
import sys
from pipelines.cli import main
try:
    main({[*command, "--help"]!r})
finally:
    print(sorted({HEAVY!r} & sys.modules.keys()), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage: mancalab" in done.stdout
    assert done.stderr == "[]\n"
