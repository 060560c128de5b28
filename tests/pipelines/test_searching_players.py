"""Datasets of players that search are the same files, however they come about."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from played import files_of, run

from pipelines import play, shards

SEARCHES: dict[str, Any] = {
    "games": 90,
    "opening_plies": 2,
    "output": {"log": "moves", "search": True},
    "grid": {
        "variant": ["kalah", "oware"],
        "agents": [
            ["mcts:12", "minimax:3"],
            ["perfect:nodes=200,table=2", "mcts:8,rollout=greedy"],
            ["minimax:2,eps=0.2,nodes=40", "greedy:captures=avoid"],
        ],
    },
}


@pytest.fixture(scope="module", autouse=True)
def small_shards() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards, "SMALLEST", 100)
        yield


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = run(tmp_path_factory.mktemp("searches") / "d", SEARCHES, threads=1)
    return files_of(folder)


def test_there_are_several_shards(undisturbed: dict[str, str]) -> None:
    """Else nothing below could differ."""
    assert sum(name.startswith("games/") for name in undisturbed) >= 4


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_change_nothing(undisturbed: dict[str, str], tmp_path: Path, threads: int) -> None:
    assert files_of(run(tmp_path / "d", SEARCHES, threads=threads)) == undisturbed


@pytest.mark.parametrize("chunk", [1, 7])
def test_chunks_change_nothing(
    undisturbed: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(play, "_next_chunk", lambda *_: chunk)
    assert files_of(run(tmp_path / "d", SEARCHES, threads=2)) == undisturbed
