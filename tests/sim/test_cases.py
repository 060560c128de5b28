"""Replays with their right values, given with the specification: equal in every field."""

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from sim.replay import replay_line

CASES = Path(__file__).parent.parent / "cases"
COUNTS = {"edges": 26, "games": 94}


@functools.cache
def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("name", "count"), COUNTS.items())
def test_no_case_is_lost(name: str, count: int) -> None:
    assert len(cases(name)) == count


@pytest.mark.parametrize(
    ("name", "number"), [(name, number) for name in COUNTS for number in range(COUNTS[name])]
)
def test_replay_equals_the_case_in_every_field(name: str, number: int) -> None:
    case = cases(name)[number]
    played = json.loads(json.dumps(replay_line(json.dumps(case["input"]))))
    assert {field: played[field] for field in case["expect"]} == case["expect"]
    assert set(played) - set(case["expect"]) == {"variant", "rules"}
    assert played["variant"] == case["input"]["variant"]
    assert played["rules"].items() >= case["input"].get("set", {}).items()
