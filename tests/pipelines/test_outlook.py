"""`run --dry-run`: what a run would play, and what that takes, before it is played."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import mancalab
from played import QUICK, plan_of, run

from pipelines.dataset import open_dataset
from pipelines.estimate import Estimate, estimate
from pipelines.sweep import preview

BOARDS: dict[str, Any] = {"variant": ["kalah", "owari"], "board.pits": [3, 6]}


def estimated(document: dict[str, Any], **changes: Any) -> Estimate:
    plan = plan_of(document, **changes)
    return estimate(plan, preview(plan, None).expected, lambda _: None)


@pytest.mark.parametrize("log", ["moves", "games", "none"])
@pytest.mark.parametrize("games", [300, 20_000])
def test_the_bytes_are_about_those_that_a_run_writes(tmp_path: Path, log: str, games: int) -> None:
    changes = {"games": games, "grid": BOARDS, "output": {"log": log}}
    guess = estimated(QUICK, **changes)
    size = open_dataset(run(tmp_path / "d", **changes)).size
    assert size / 2 < guess.size < 2 * size


def test_a_dataset_of_searches_is_larger(tmp_path: Path) -> None:
    agents = [["mcts:20", "mcts:20"]]
    changes = {"games": 64, "grid": {"variant": ["kalah"], "agents": agents}}
    plain = estimated(QUICK, **changes)
    search = {"output": {"log": "moves", "search": True}}
    guess = estimated(QUICK, **changes, **search)
    assert guess.size > 1.5 * plain.size
    size = open_dataset(run(tmp_path / "d", **changes, **search)).size
    assert size / 3 < guess.size < 3 * size


def test_ten_times_the_games_take_ten_times_as_long() -> None:
    one, ten = (estimated(QUICK, games=games).cpu_seconds for games in (10**6, 10**7))
    assert 10 / 3 < ten / one < 30  # the machine may be busy meanwhile


def test_players_that_think_take_longer() -> None:
    agents = [["minimax:5", "minimax:5"]]
    slow = estimated(QUICK, grid=BOARDS | {"agents": agents})
    assert slow.cpu_seconds > 20 * estimated(QUICK, grid=BOARDS).cpu_seconds


def test_few_cells_of_many_are_played() -> None:
    grid = {"variant": ["kalah", "owari"], "board.pits": [*range(1, 8)],
            "board.seeds": [*range(1, 11)]}  # fmt: skip
    assert estimated(QUICK, grid=grid).cells <= 60


def test_cells_of_few_games_take_their_time_too() -> None:
    few = {"variant": ["kalah"], "board.pits": [6]}
    many = few | {"end.max_plies": [*range(1_000, 1_100)]}
    one, hundred = (estimated(QUICK, games=games, grid=grid).cpu_seconds
                    for games, grid in ((200, few), (2, many)))  # fmt: skip
    assert hundred > 5 * one


def test_of_a_dataset_what_is_missing_counts(tmp_path: Path) -> None:
    folder = run(tmp_path / "d", games=20_000)
    plan = plan_of(QUICK, games=21_000)
    coming = preview(plan, folder)
    assert (coming.games, coming.shards) == (2_000, 1)
    part = estimate(plan, coming.expected, lambda _: None)
    assert part.size < 0.3 * open_dataset(folder).size


def test_with_a_width_the_games_of_even_players_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stop = {"half_width": 0.02}
    plan = plan_of(QUICK, stop=stop)
    expected = sum(preview(plan, None).expected.values())
    played = open_dataset(run(tmp_path / "d", stop=stop)).games
    assert played / 1.5 < expected < 1.5 * played
    line = ("run", "kalah", "--total-games", "1e8", "--dry-run")
    said = mancalab(capsys, *line)[1].splitlines()
    assert said[-2] == "100,000,000 games in all, if players are even."
    assert float(said[-1].split(" MB")[0].split()[-1].replace(",", "")) > 1_000


def test_a_player_that_sleeps_and_prints_is_asked_little_and_not_heard(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "my.py").write_text(
        "import time\nprint('loaded')\ndef slow(position):\n    print('asked')\n"
        "    time.sleep(0.6)\n    return position.legal[0]\n"
    )
    line = ("run", "kalah", "--agent", f"{tmp_path}/my.py:slow", "--games", "50", "--dry-run")
    code, said, told = mancalab(capsys, *line, "--format", "json")
    assert code == 0
    assert json.loads(said)["cpu_seconds"] > 300
    assert "loaded" in told
    assert told.count("asked") <= 3


def test_it_is_printed_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "d"
    line = ("run", "kalah", "--games", "1e7", "--dry-run", "--out", str(out))
    code, said, _ = mancalab(capsys, *line)
    assert code == 0
    assert said.splitlines()[-1].startswith("about 0:")
    assert " MB, from games of 1 cell played now" in said
    coming = json.loads(mancalab(capsys, *line, "--format", "json")[1])
    assert set(coming) == {
        "cells",
        "games",
        "missing",
        "shards",
        "cpu_seconds",
        "bytes",
        "expected",
    }
    assert coming["missing"] == 10**7
    assert not out.exists()


def test_of_a_complete_dataset_there_is_nothing_to_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = run(tmp_path / "d")
    plan = str(folder / "plan.toml")
    code, said, _ = mancalab(capsys, "run", "--plan", plan, "--out", str(folder), "--dry-run")
    assert code == 0
    assert said.splitlines()[-1] == "0 of them to play, in 0 shards"
