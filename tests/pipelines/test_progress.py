"""What long work says of itself: lines without a terminal, signs of life, status while it runs."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command import mancalab
from played import hidden_files, run

from pipelines import progress, pulse
from pipelines.progress import Meter
from pipelines.pulse import NAME, Pulse, read_sign

COMMAND = [sys.executable, "-c", "from pipelines.cli import main; main()"]
LONG = [
    "run", "kalah", "--pits", "4..6", "--agent", "minimax:6,eps=0.1", "--games", "20_000", "--out"
]  # fmt: skip


class Clock:
    """A clock that tests set."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        for module in (progress, pulse):
            patch.setattr(module, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_without_a_terminal_there_is_a_line_now_and_then(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with Meter(4_000) as meter:
        for _ in range(30):
            clock.now += 1
            meter.add(100)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        " 25 %, 1,000 of 4,000 games, 100/s, 0:00:30 left",
        " 50 %, 2,000 of 4,000 games, 100/s, 0:00:20 left",
        " 75 %, 3,000 of 4,000 games, 100/s, 0:00:10 left",
    ]


def test_a_line_tells_of_one_cell_and_follows_what_is_to_be_done(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with Meter(1_000) as meter:
        clock.now += 10
        meter.lines = ["500 of 1,000  0.5160 (0.4722 – 0.5596)  kalah 6×4", "another"]
        meter.add(500)
        meter.total = 2_500  # a cell is not precise enough
        clock.now += 10
        meter.add(500)
    assert capsys.readouterr().err.splitlines() == [
        " 50 %, 500 of 1,000 games, 50/s, 0:00:10 left;"
        " 500 of 1,000  0.5160 (0.4722 – 0.5596)  kalah 6×4",
        " 40 %, 1,000 of 2,500 games, 50/s, 0:00:30 left;"
        " 500 of 1,000  0.5160 (0.4722 – 0.5596)  kalah 6×4",
    ]


def test_what_is_not_to_be_shown_is_counted(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    heard: list[tuple[int, int]] = []
    with Meter(100, shown=False, heard=lambda *told: heard.append(told)) as meter:
        for _ in range(2):
            clock.now += 60
            meter.add(10)
    assert (meter.done, heard) == (20, [(10, 100), (20, 100)])
    assert capsys.readouterr().err == ""


def test_a_sign_of_life_says_how_far_a_run_is(clock: Clock, tmp_path: Path) -> None:
    pulse = Pulse(tmp_path)
    clock.now += 5
    pulse.beat(500, 2_000)
    sign = read_sign(tmp_path)
    assert sign
    assert (sign.done, sign.total, sign.rate, sign.left) == (500, 2_000, 100, 15)
    clock.now += 1
    pulse.beat(600, 2_000)  # one was just given
    assert read_sign(tmp_path) == sign
    pulse.end()
    assert read_sign(tmp_path) is None
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["", "{", "[]", '{"done": 1}', "\0"])
def test_a_sign_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)
    assert read_sign(tmp_path) is None


@contextmanager
def begun(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """Have a long run at work that has given a sign of life."""
    with subprocess.Popen(
        [*COMMAND, *LONG, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            while not (folder / NAME).exists():
                assert process.poll() is None
                time.sleep(0.02)
            yield process
        finally:
            process.kill()
            process.communicate()


def test_status_tells_a_run_at_work_from_one_that_was_killed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "d"
    with begun(folder):
        code, said, _ = mancalab(capsys, "status", str(folder))
        assert code == 0
        first, *others, last = said.splitlines()
        assert first.startswith(f"{folder}: at work, ")
        assert last.startswith("this run: ")
        assert " left (as of " in last
        assert max(map(len, others)) <= 80
        code, said, _ = mancalab(capsys, "status", str(folder), "--format", "json")
        state = json.loads(said)
        assert state["running"]
        assert state["progress"]["rate"] > 0
        assert state["progress"]["total"] == 60_000
    code, said, _ = mancalab(capsys, "status", str(folder))
    assert said.startswith(f"{folder}: unfinished, ")
    assert "this run" not in said
    assert f"to go on: mancalab run --plan {folder}/plan.toml --out {folder}" in said
    assert (folder / NAME).exists()  # which the next run sweeps out


def test_a_run_leaves_no_sign_whether_it_ends_or_is_interrupted(tmp_path: Path) -> None:
    assert not hidden_files(run(tmp_path / "ended"))
    folder = tmp_path / "interrupted"
    with begun(folder) as process:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130
    assert not hidden_files(folder)


def test_on_a_terminal_there_is_a_bar_and_how_cells_stand(tmp_path: Path) -> None:
    mine, theirs = pty.openpty()
    command = [*COMMAND, "run", "kalah", "owari", "--games", "2_000_000", "--log", "none", "--out"]
    environment = os.environ | {"COLUMNS": "80", "LINES": "24", "TERM": "xterm"}
    with subprocess.Popen(
        [*command, str(tmp_path / "d")], stdout=subprocess.PIPE, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        drawn = b""
        while True:
            try:
                drawn += os.read(mine, 1 << 16)
            except OSError:  # Linux says so that nobody writes any more
                break
    os.close(mine)
    assert process.returncode == 0
    text = drawn.decode()
    assert " of 4,000,000 games, " in text
    assert ")  kalah 6×4, random against random" in text.partition(" of 2,000,000  0.")[2]
