"""Compiled code is kept on disk: never stale, and safe where many processes begin at once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sim

SOURCE = Path(sim.__file__).parent

PLAY = """
from sim.agents import parse_agent
from sim.playing import play
from sim.presets import load_variant
from sim.sittings import NO_OPENING
from sim.warming import warm_play
rules, random = load_variant("kalah").rules, parse_agent("random")
warm_play([(rules, (random, random), NO_OPENING)], print)
print(play(rules, (random, random), 1, 0, 100).scores.sum())
"""

MOVE = """
from sim.kernel.moves import moved
from sim.presets import load_variant
from sim.tables import U, tables
t = tables(load_variant("kalah").rules)
print(moved(t, U(0), *t.start, U(2))[0] >> U(56))  # the store after a move of four seeds
"""

FOLDERS = """
from pathlib import Path
from sim.kernel.jit import FOLDER, __file__, cache_folder
print(FOLDER.name)
for path in Path(__file__).parent.glob("*.py"):
    path.write_text(path.read_text() + "\\n# another line\\n")
    print(cache_folder().name)
"""

INTERRUPTED = """
import os, signal
from numba.core.codegen import CPUCodeLibrary
compiled, times = CPUCodeLibrary._object_compiled_hook, 0
def interrupting(module, buffer):  # LLVM calls this, to which no exception matters
    global times
    times += 1
    if times == 1:
        os.kill(os.getpid(), signal.SIGINT)
    compiled(module, buffer)
CPUCodeLibrary._object_compiled_hook = staticmethod(interrupting)
from sim.presets import load_variant
from sim.warming import warm_replay
try:
    warm_replay([load_variant("kalah").rules], print)
except KeyboardInterrupt:
    print("interrupted")
"""

FOLDER = "from sim.kernel.jit import FOLDER; print(FOLDER.name)"


def started(program: str, cache: Path, package: Path = SOURCE) -> "subprocess.Popen[str]":
    environment = {
        **os.environ,
        "MANCALAB_CACHE_DIR": str(cache),
        "PYTHONPATH": str(package.parent),
    }
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", program],
        env=environment, cwd=package.parent, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def output(process: "subprocess.Popen[str]") -> list[str]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out.splitlines()


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SOURCE, tmp_path / "copy" / "sim"))


def test_eight_processes_on_an_empty_cache_play_the_same_and_one_of_them_compiles(
    tmp_path: Path,
) -> None:
    processes = [started(PLAY, tmp_path) for _ in range(8)]
    outputs = [output(process) for process in processes]
    assert {lines[-1] for lines in outputs} == {str(100 * 48)}
    told = [line for lines in outputs for line in lines[:-1]]
    assert len(told) == 1
    assert "once" in told[0]
    names = {path.name.split("-")[0] for path in tmp_path.glob("*/*/*.nbc")}
    assert "lanes.play_in_step" in names
    # No more than random players need: neither other players nor replays.
    assert names <= {"lanes.play_in_step", "moves.moved", "moves.legal"}
    assert output(started(PLAY, tmp_path)) == [str(100 * 48)]


def test_after_an_edit_of_a_function_that_is_compiled_into_others_the_new_code_runs(
    tmp_path: Path, copied: Path
) -> None:
    cache = tmp_path / "cache"
    assert output(started(MOVE, cache, copied)) == ["1"]
    rows = copied / "kernel" / "rows.py"
    before = rows.stat()
    text = rows.read_text()
    assert "row >> U56" in text
    sown = "return me + mine, opp + other"
    assert text.count(sown) == 1
    rows.write_text(text.replace(sown, "return me + mine + (U3 << U56), opp + other"))
    os.utime(rows, ns=(before.st_atime_ns, before.st_mtime_ns))  # nor may the clock be trusted
    assert output(started(MOVE, cache, copied)) == ["4"]


def test_an_interrupt_that_comes_while_llvm_calls_back_is_heard(tmp_path: Path) -> None:
    process = started(INTERRUPTED, tmp_path)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out.splitlines()[1:]) == (0, ["interrupted"]), err
    assert "KeyboardInterrupt" not in err  # as ignored; files that were being read do not matter


def test_each_file_of_the_kernel_has_a_say_in_where_compiled_code_is_looked_for(
    tmp_path: Path, copied: Path
) -> None:
    folders = output(started(FOLDERS, tmp_path, copied))
    assert len(set(folders)) == len(folders) == 1 + len(list((SOURCE / "kernel").glob("*.py")))


def test_without_a_place_to_write_it_plays_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    assert output(started(FOLDER, tmp_path / "file" / "cache"))
