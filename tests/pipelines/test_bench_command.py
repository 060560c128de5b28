"""`mancalab bench`: what it measures and prints, what it refuses, and that it leaves nothing."""

import json
import random
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command import mancalab, refused
from played import small_shards

from pipelines import bench, bench_openspiel, bench_results, progress
from pipelines.bench import Duel, Run, Sample, Step, Thinker
from pipelines.commands.bench import text
from pipelines.executors import available
from pipelines.logs import LOGS
from sim.agents import parse_agent

__all__ = ["small_shards"]

BRIEF = ("--seconds", "0.01", "--cores", "2")
SAMPLE = {"games", "moves", "cpu_seconds", "wall_seconds"}


@pytest.fixture(autouse=True)
def emptied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let temporary folders be made where a test sees them."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("small_shards")
def test_json(emptied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["kalah", "sunka"]
    code, out, told = mancalab(
        capsys, "bench", *names, "kalah", *BRIEF, "--format", "json", "--against", "openspiel",
        "--agent", "mcts:9", "--agent", "minimax:2",
    )  # fmt: skip
    assert code == 0
    assert all(line.startswith("mancalab: compiling ") for line in told.splitlines())
    found = json.loads(out)
    assert set(found) == {"machine", "rounds", "playing", "runs", "searches", "against"}
    assert found["machine"] == bench_results.machine()
    assert found["machine"]["cores"] == available()
    assert found["rounds"] == 1
    for entry in found["playing"]:
        assert {"games_per_second", "moves_per_second", "ns_per_move"} < set(entry)
        assert len(entry["samples"]) == len(LOGS)
        assert all(set(sample) == SAMPLE for sample in entry["samples"])
        assert all(value > 0 for sample in entry["samples"] for value in sample.values())
    played = [(e["variant"], e["cores"]) for e in found["playing"]]
    assert played == [(name, cores) for name in names for cores in (1, 2)]
    assert [e["cpu_per_game_ratio"] for e in found["playing"] if e["cores"] == 1] == [1, 1]
    runs = {(e["variant"], e["log"]): e for e in found["runs"]}
    assert list(runs) == [(name, log) for name in names for log in LOGS]
    assert all(e["of_playing"] > 0 and e["threads"] == 2 for e in runs.values())
    assert runs["kalah", "moves"]["bits_per_move"] > 2
    searches = [(entry["variant"], entry["agent"]) for entry in found["searches"]]
    assert searches == [(name, spec) for name in names for spec in ("mcts:9", "minimax:2")]
    assert all(entry["looked_at_per_second"] > 0 for entry in found["searches"])
    both = found["against"]["openspiel"]
    assert [(against["variant"], against["agent"]) for against in both] == [
        ("kalah", "random"),
        ("kalah", "mcts:9"),
    ]
    for against in both:
        assert against["game"] == "mancala"
        assert against["ratio_low"] <= against["ratio"] <= against["ratio_high"]
        assert all(set(pair["theirs"]) == SAMPLE for pair in against["samples"])
    assert list(emptied.iterdir()) == []


@pytest.mark.usefixtures("small_shards")
def test_a_file_of_rules_on_one_core(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "small.toml"
    file.write_text("[board]\npits = 3\nseeds = 2\n")
    code, out, _ = mancalab(capsys, "bench", str(file), "--seconds", "0.01", "--cores", "1")
    assert code == 0
    assert "\nsmall  moves " in out
    assert "OpenSpiel" not in out
    assert list(tmp_path.iterdir()) == [file]


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    files = [tmp_path / folder / "mine.toml" for folder in ("a", "b")]
    for file in files:
        file.parent.mkdir()
        file.write_text("[board]\npits = 3\nseeds = 2\n")
    names = [str(file) for file in files]
    labels = [subject.label for subject in bench.subjects_of([*names, "kalah", names[0]])]
    assert labels == [*names, "kalah"]


def measured() -> list[bench.Subject]:
    """Return two variants with figures that are easily worked out."""
    subjects = bench.subjects_of(["kalah-empty-capture", "sungka"])
    for subject in subjects:
        for speed in (1, 4, 2):
            for log in LOGS:
                alone = Sample(100, 4000, 2.0, 8.0)
                both = Sample(200, 8000, 5.0, 4.0 / speed)
                run = Run(50, 2000, 9.0, 2.0, 1000, 2)
                subject.steps.append(Step(log, alone, both, run))
    return subjects


def test_figures_are_medians_of_what_was_compared() -> None:
    [subject, _] = measured()
    one = bench_results.playing("k", subject.steps, 1)
    assert (one["games_per_second"], one["moves_per_second"]) == (50, 2000)  # of CPU time
    assert one["ns_per_move"] == 500_000
    both = bench_results.playing("k", subject.steps, 2)
    assert both["moves_per_second"] == 4000  # of the wall
    assert (both["moves_per_second_low"], both["moves_per_second_high"]) == (2000, 8000)
    assert both["games_per_second"] == 100
    assert both["cpu_per_game_ratio"] == pytest.approx(1.25)
    run = bench_results.run("k", subject.steps, LOGS[0], 4)
    assert run["moves_per_second"] == 1000
    assert (run["of_playing_low"], run["of_playing"], run["of_playing_high"]) == (
        1 / 8,
        1 / 4,
        1 / 2,
    )
    assert run["bits_per_move"] == 4
    assert run["threads"] == 2
    assert len(run["samples"]) == 3


def duel_of(subject: bench.Subject) -> Duel:
    """Return a duel of random players, whose loops are not called."""
    return Duel(subject, parse_agent("random"), "mancala", None, None)  # type: ignore[arg-type]


def test_a_ratio_is_of_moves_by_cpu_time_pair_by_pair() -> None:
    theirs = [Sample(10, 1000, cpu, 1.0) for cpu in (1.0, 2.0, 1.0)]
    ours = [Sample(7, moves, 1.0, 9.0) for moves in (100_000, 100_000, 120_000)]
    duel = duel_of(measured()[0])
    duel.pairs += zip(ours, theirs, strict=True)
    found = bench_results.duel(duel)
    assert (found["ratio_low"], found["ratio"], found["ratio_high"]) == (100, 120, 200)
    assert [pair["ours"]["moves"] for pair in found["samples"]] == [100_000, 100_000, 120_000]


def test_this_program_and_the_other_play_by_turns() -> None:
    turns: list[str] = []

    def ours(first: int, seconds: float) -> Sample:
        turns.append("ours")
        return Sample(1, 1, 1.0, 1.0)

    def theirs(seconds: float) -> Sample:
        turns.append("theirs")
        return Sample(1, 1, 1.0, 1.0)

    duel = replace(duel_of(bench.subjects_of(["kalah"])[0]), ours=ours, loop=theirs)
    for _ in range(2):
        duel.pairs.append(bench._pair(duel, 1.0))
    assert turns == ["theirs", "ours"] * 2


def test_tables_fit_a_terminal() -> None:
    subjects = measured()
    pair = Sample(10**6, 10**8, 1.0, 1.0), Sample(1, 10, 1.0, 1.0)
    duels = [replace(duel_of(subject), pairs=[pair]) for subject in subjects]
    player = parse_agent("mcts:100000,c=0.25")
    thinkers = [Thinker(subject, player, None, [pair[0]]) for subject in subjects]  # type: ignore[arg-type]
    document = bench_results.document(subjects, thinkers, 128, 3, {"openspiel": duels})
    for entry in document["playing"]:  # a large machine
        for key in ("moves_per_second", "moves_per_second_low", "moves_per_second_high"):
            entry[key] = 6.4e9
        entry |= {"games_per_second": 1.5e8, "ns_per_move": 1234.5}
    shown = text(document)
    assert max(map(len, shown.splitlines())) <= 80
    assert "No room" not in shown
    ends = [block.splitlines()[-1] for block in shown.split("\n\n")]
    assert all(end.endswith(".") for end in ends[1:])
    below = shown.splitlines()[1:]  # a processor's name may be of any length
    notes = [line for line in below if line[:1].isalpha() and "  " not in line]
    assert min(map(len, notes)) > 20  # none is broken
    assert "10,000,000.0x" in shown
    assert "looked at" in shown
    for entry in document["playing"]:
        assert f"\n{entry['variant']} " in shown


def test_a_loop_plays_whole_games() -> None:
    import pyspiel

    for name in set(bench_openspiel.GAMES.values()):
        sample = bench_openspiel.loop_for(pyspiel.load_game(name), random.Random(1), 0)
        assert sample.games == 1
        assert sample.moves > 5


def test_the_loop_counts_the_moves_that_it_makes() -> None:
    class State:
        def __init__(self) -> None:
            self.made: list[int] = []

        def is_terminal(self) -> bool:
            return len(self.made) == 3

        def legal_actions(self) -> list[int]:
            return [4, 5]

        def apply_action(self, action: int) -> None:
            self.made.append(action)

        def move_number(self) -> int:
            return len(self.made)

    class Game:
        new_initial_state = State

    sample = bench_openspiel.loop_for(Game, random.Random(1), 0.001)
    assert sample.moves == 3 * sample.games > 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["nim"], "there is no variant 'nim'"),
        (["--seconds", "0"], "--seconds 0: give a number above 0"),
        (["--seconds", "-1"], "--seconds -1: give a number above 0"),
        (["--seconds", "nan"], "--seconds nan: give a number above 0"),
        (["--cores", "0"], "--cores"),
        (["--agent", "minimax:0"], "depth = 0 is not allowed"),
        (["--against", "gnubg"], "'--against'"),
        (["sunka", "--against", "openspiel"], "name one of kalah, oware, sungka"),
    ],
)
def test_refused(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in refused(mancalab(capsys, "bench", *options))


def test_openspiel_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    said = refused(mancalab(capsys, "bench", "--against", "openspiel"))
    assert "pip install open-spiel" in said


@pytest.mark.usefixtures("small_shards")
def test_one_core_and_all_go_first_by_turns(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    turns: list[str] = []

    def slice_of(who: str) -> Sample:
        turns.append(who)
        return Sample(1, 40, 1.0, 1.0)

    monkeypatch.setattr(bench, "play_for", lambda *_: slice_of("one"))
    monkeypatch.setattr(bench.Crew, "play", lambda *_: slice_of("all"))
    [subject] = bench.subjects_of(["kalah"])
    with bench.Crew(2) as crew:
        for _ in range(2):
            subject.steps.append(bench._step(subject, LOGS[0], crew, tmp_path, 1e-9))
    assert turns == ["one", "all", "all", "one"]
    assert list(tmp_path.iterdir()) == []


def test_a_meter_that_is_not_shown_counts_and_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.0)
    for shown in (True, False):
        with progress.Meter(10, shown=shown) as meter:
            meter.add(4)
        assert meter.done == 4
        assert bool(capsys.readouterr().err) == shown


@pytest.mark.usefixtures("small_shards")
def test_an_interruption_leaves_nothing(
    emptied: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any) -> None:
        [folder] = emptied.iterdir()
        assert folder.name.startswith("mancalab-bench-")
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "_step", interrupted)
    code, out, told = mancalab(capsys, "bench", "kalah", *BRIEF)
    assert (code, out) == (130, "")
    assert told.endswith("mancalab: interrupted\n")
    assert list(emptied.iterdir()) == []
