"""The README cannot rot: its examples run, and its tables say what is there.

`python tests/test_readme.py` runs all examples at full size and writes what they print into the
README; the slow test checks that nothing else stands there. In between they run on few games.
"""

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"^```(sh|sql|python|toml)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
SET_UP = "python3 -m venv"
FEW = "--games 40"
SECONDS = re.compile(r"\b\d+\.\d s\b|\b\d+:\d\d:\d\d on \d+ processors?\b")


@dataclass(frozen=True)
class Example:
    """A block of the README that runs, and what it prints there (`None`: nothing is shown)."""

    language: str
    code: str
    shown: str | None
    place: slice  # of `shown`

    @property
    def fixed(self) -> bool:
        """Whether it prints the same however many games are played: it plans and reads none."""
        return self.language != "sql" and not re.search("runs/|mancalab (run|bench)", self.code)


def examples(text: str) -> list[Example]:
    """Return the README's examples in order, but for those that set the project up."""
    found = (Example(*m.groups(), slice(*m.span(3))) for m in BLOCK.finditer(text))
    return [example for example in found if not example.code.startswith(SET_UP)]


def played(text: str, folder: Path, *, few: bool) -> Iterator[tuple[Example, str]]:
    """Run the README's examples in a folder, and yield each with what it printed.

    A TOML block is the file `plan.toml`; SQL asks the dataset that was played last.
    """
    shutil.copytree(ROOT / "data" / "examples", folder / "data" / "examples")
    environment = os.environ | {"COLUMNS": "80", "PATH": f"{_shim(folder)}:{os.environ['PATH']}"}
    environment["PYTHONPATH"] = str(ROOT)
    dataset = ""
    for example in examples(text):
        code = shortened(example.code) if few else example.code
        if example.language == "toml":
            small = re.sub(r"^games = [\d_]+", "games = 40", code, flags=re.M)
            (folder / "plan.toml").write_text(small if few else code)
            continue
        dataset = (re.findall(r"mancalab run .*--out (\S+)$", code, re.M) or [dataset])[-1]
        command = {
            "sh": ["bash", "-euo", "pipefail", "-c", code],
            "sql": ["mancalab", "sql", dataset, "-c", code],
            "python": [sys.executable, "-c", code],
        }[example.language]
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{code}\nleft with {done.returncode}:\n{done.stderr}"
        yield example, done.stdout


def shortened(code: str) -> str:
    """Return an example that plays few games, and measures for a moment."""
    code = re.sub(r"--games [\d_]+", FEW, code)
    code = re.sub(r"--half-width [\d.]+", f"{FEW} --half-width 0.1", code)
    return code.replace("mancalab bench", "mancalab bench --seconds 0.1")


def _shim(folder: Path) -> Path:
    """Return a folder with a `mancalab` that runs this checkout, installed or not."""
    file = folder / "bin" / "mancalab"
    file.parent.mkdir(exist_ok=True)
    run = "from pipelines.cli import main; main()"
    file.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{run}" "$@"\n')
    file.chmod(0o755)
    return file.parent


def lines(text: str) -> list[str]:
    """Return output without what may differ: blanks at the ends, and the seconds a run took."""
    return [line.rstrip() for line in SECONDS.sub("S s", text).strip().splitlines()]


def check(example: Example, printed: str) -> None:
    if example.shown is not None and lines(printed) != lines(example.shown):
        difference = difflib.unified_diff(lines(example.shown), lines(printed), "README", "printed")
        pytest.fail("\n".join([example.code, *difference]), pytrace=False)


def test_the_examples_run_and_the_fixed_ones_print_what_is_shown(tmp_path: Path) -> None:
    for example, printed in played(README.read_text(), tmp_path, few=True):
        if example.fixed:
            check(example, printed)


@pytest.mark.slow
def test_at_full_size_every_example_prints_what_is_shown(tmp_path: Path) -> None:
    for example, printed in played(README.read_text(), tmp_path, few=False):
        check(example, printed)


def test_the_tables_of_columns_are_those_of_the_views(tmp_path: Path) -> None:
    from made import cell
    from made import played as made

    from pipelines import connect
    from pipelines.asking import VIEWS

    text = README.read_text()
    con = connect(str(made(tmp_path / "data", [cell()], range(3))))
    for view in VIEWS:
        section = text.partition(f"\n### `{view}`")[2].partition("\n#")[0]
        documented = re.findall(r"^\| `(\w+)` \| ([^|]+) \| \S", section, re.M)
        columns = con.execute(f"SELECT column_name, column_type FROM (DESCRIBE {view})").fetchall()
        assert documented == columns, view


def test_every_command_is_named() -> None:
    from pipelines import commands

    text = README.read_text()
    for file in Path(commands.__path__[0]).glob("[!_]*.py"):
        assert f"mancalab {file.stem}" in text, file.stem


def test_every_preset_stands_there_with_its_source() -> None:
    from sim.presets import load_variant, preset_names

    for name in preset_names():
        assert f"\n| `{name}` | {load_variant(name).source} |\n" in README.read_text(), name


@pytest.mark.parametrize("file", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md"])
def test_what_a_text_links_to_is_there(file: str) -> None:
    text = (ROOT / file).read_text()
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in link:
            assert (ROOT / file).parent.joinpath(link).exists(), link


def test_the_two_commands_that_set_all_up_stand_there() -> None:
    lines = [line for line in README.read_text().splitlines() if line.startswith(SET_UP)]
    assert len(lines) == 2
    assert all("-c requirements.lock" in line for line in lines)


def test_the_lock_pins_all_that_is_needed_and_says_nothing_else() -> None:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = [Requirement(line) for line in lines if not line.startswith("#")]
    assert all(pin.url is None and len(pin.specifier) == 1 for pin in pins)
    here = {pin.name: pin for pin in pins if pin.marker is None or pin.marker.evaluate()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for text in project["dependencies"] + project["optional-dependencies"]["test"]:
        need = Requirement(text)
        pinned = next(iter(here[need.name].specifier)).version
        assert need.specifier.contains(pinned), f"{need}: the lock has {pinned}"


def rewrite() -> None:
    """Write what the examples print at full size into the README."""
    text = README.read_text()
    with tempfile.TemporaryDirectory() as folder:
        ran = [(e, out) for e, out in played(text, Path(folder), few=False) if e.shown is not None]
    for example, printed in reversed(ran):
        if lines(printed) != lines(example.shown or ""):
            shown = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())
            text = text[: example.place.start] + shown + text[example.place.stop :]
    README.write_text(text)


if __name__ == "__main__":
    rewrite()
