"""Output that goes nowhere, to a full disk, or to a terminal that lacks characters."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

MANCALAB = shlex.join([sys.executable, "-c", "from pipelines.cli import main; main()"])
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def shell(command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-c", command.replace("mancalab", MANCALAB)],
        capture_output=True, text=True, encoding="utf-8", check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])} | environment,
    )  # fmt: skip


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&- <&-"])
def test_a_closed_stream_is_no_fault(closed: str) -> None:
    done = shell(f"mancalab variants {closed}")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("buffered", ["", "1"])
def test_a_full_disk_is_said_of_the_output(buffered: str) -> None:
    done = shell("mancalab variants >/dev/full", PYTHONUNBUFFERED=buffered)
    said = "mancalab: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, said)


@pytest.mark.parametrize("buffered", ["", "1"])
def test_a_reader_that_left_is_told_nothing(buffered: str) -> None:
    done = shell("mancalab variants keys | true; echo ${PIPESTATUS[0]}", PYTHONUNBUFFERED=buffered)
    assert done.stderr == ""
    assert done.stdout in {"1\n", "0\n"}  # the reader may be slow to leave


def test_names_beyond_ascii_under_a_locale_of_ascii(tmp_path: Path) -> None:
    (tmp_path / "mañana.toml").write_text("[board]\npits = 4\nseeds = 3\n", encoding="utf-8")
    place = shlex.quote(str(tmp_path))
    done = shell(f"cd {place} && mancalab run mañana.toml --games 5 --out d", **ASCII)
    assert done.returncode == 0, done.stderr
    assert 'variant = ["mañana"]' in (tmp_path / "d" / "plan.toml").read_text(encoding="utf-8")
    for command in ("run kalah --games 5 --out ñ", "status ñ", "verify ñ", "report ñ"):
        done = shell(f"cd {place} && mancalab {command}", **ASCII)
        assert (done.returncode, done.stdout) == (2, "")
        assert "this name is not UTF-8 here: choose another folder, or set a UTF-8" in done.stderr
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "ñ").exists()
