"""`mancalab play` in a process of its own: at a terminal, and when it is interrupted."""

import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

RUN = "from pipelines.cli import main; main()"
PONDERING = f"""
import time
from sim.agents.random import RandomChooser
RandomChooser.choose = lambda *given: print("asked", flush=True) or time.sleep(600)
{RUN}
"""
ROOT = Path(__file__).parents[2]
TWO_PEOPLE = ("--north", "human")


def interrupted(program: str, typed: str, until: str, *arguments: str) -> tuple[int, str, str]:
    """Press Ctrl-C once a line has come; return the code, and what came after it."""
    with subprocess.Popen(
        [sys.executable, "-c", program, "play", "kalah", *arguments], cwd=ROOT,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as game:  # fmt: skip
        assert game.stdin
        assert game.stdout
        game.stdin.write(typed)
        game.stdin.flush()
        while until not in game.stdout.readline():
            pass
        game.send_signal(signal.SIGINT)
        out, err = game.communicate(timeout=60)
    return game.returncode, out, err


def test_ctrl_c_at_a_question_leaves_with_the_moves() -> None:
    code, out, err = interrupted(RUN, "2\n0\n", "ply 2: ", *TWO_PEOPLE)
    assert code == 130
    assert out.endswith("\nmancalab replay kalah --moves '2 0'\n")
    assert err == "mancalab: interrupted\n"


def test_ctrl_c_does_not_wait_for_a_player_that_thinks() -> None:
    code, out, err = interrupted(PONDERING, "2\n0\n", "asked", "--north", "random")
    assert (code, out) == (130, "\nmancalab replay kalah --moves '2 0'\n")
    assert err == "mancalab: interrupted\n"


def at_a_terminal(typed: list[bytes], **environment: str) -> tuple[int, str]:
    """Play kalah at a pseudo-terminal, a line typed at each question; return code and output."""
    end, other = pty.openpty()
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    game = subprocess.Popen(
        [sys.executable, "-c", RUN, "play", "kalah", *TWO_PEOPLE], cwd=ROOT, stdin=other,
        stdout=other, stderr=other, env=plain | {"TERM": "xterm"} | environment,
    )  # fmt: skip
    os.close(other)
    shown, answered = b"", 0
    try:
        while select.select([end], [], [], 60)[0]:
            shown += os.read(end, 4096)
            # Each line is typed once its question stands: what comes before may be thrown away.
            if answered < min(shown.count(b")? "), len(typed)):
                os.write(end, typed[answered])
                answered += 1
    except OSError:  # the other end is closed: the game is left
        pass
    try:
        return game.wait(60), shown.decode()
    finally:
        game.kill()
        os.close(end)


def test_a_terminal_has_colours_and_leaves_by_ctrl_d() -> None:
    code, shown = at_a_terminal([b"2\n", b"\x04"])
    assert code == 0
    assert "\x1b[1;33m[  1]*\x1b[0m" in shown
    assert "left at ply 2" in shown


def test_no_color_is_heeded() -> None:
    code, shown = at_a_terminal([b"2\n", b"q\n"], NO_COLOR="1")
    assert code == 0
    assert "[  1]*" in shown
    assert "\x1b[1;33m" not in shown
    assert "\x1b[0m" not in shown
