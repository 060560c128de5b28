"""Games that are not solved within the bounds given, and what is known of them all the same."""

import threading
import time
from pathlib import Path

import pytest

from sim import solve_search
from sim.endgames import bytes_needed
from sim.errors import UserError
from sim.presets import load_variant
from sim.rules import Rules
from sim.solve import count_endgames, longest_round, solve


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tables where no other test or earlier version has kept some."""
    monkeypatch.setattr("sim.endgames.cache_home", lambda: tmp_path)


def sized(pits: int, seeds: int, name: str = "kalah") -> Rules:
    return load_variant(name, {"board.pits": pits, "board.seeds": seeds}).rules


def test_what_takes_too_much_memory_for_a_table_is_not_solved() -> None:
    rules = load_variant("awari").rules
    solution = solve(rules)
    assert (solution.solved, solution.margin, solution.outcome) == (False, None, None)
    assert "all 48 seeds" in solution.unsolved
    assert "more than can be built" in solution.unsolved
    assert [(move.low, move.high) for move in solution.moves] == [(-48, 48)] * 6
    assert solution.notes
    small = sized(3, 3, "awari")
    needed = bytes_needed(3, 18)
    assert solve(small, memory=needed).solved
    assert not solve(small, memory=needed - 1).solved
    assert solve(small, memory=1 << 20).unsolved == (
        "not solved within 1.0 MiB: the endgame table of all 18 seeds takes 1.1 MiB"
    )


def test_a_table_that_takes_too_long_is_not_solved() -> None:
    solution = solve(sized(5, 3, "awari"), seconds=0.2, memory=1 << 33)
    assert not solution.solved
    assert solution.unsolved.startswith("not solved within 0.2 seconds: ")


def test_a_search_that_takes_too_long_says_what_it_knows() -> None:
    solve(sized(1, 1))  # compiles
    began = time.monotonic()
    solution = solve(sized(7, 6), seconds=0.3)
    assert time.monotonic() - began < 5
    assert (solution.solved, solution.margin) == (False, None)
    assert solution.unsolved == "not solved within 0.3 seconds"
    assert solution.positions > 0


def test_a_bound_of_positions_holds_and_what_is_known_is_true() -> None:
    whole = solve(sized(4, 3))
    lows, highs = set(), set()
    for nodes in (1, 1000, 10_000, 40_000, 60_000):
        part = solve(sized(4, 3), nodes=nodes)
        assert not part.solved
        assert part.unsolved == f"not solved within {nodes:,} positions"
        assert part.positions <= nodes + 10  # moves that end a round are counted as they are made
        assert part.low <= whole.low <= part.high
        for known, right in zip(part.moves, whole.moves, strict=True):
            assert known.low <= right.low <= known.high
            lows.add(known.low == right.low)
            highs.add(known.high == right.high)
    assert lows == highs == {True, False}
    assert solve(sized(4, 3), nodes=whole.positions + 1).moves == whole.moves


def test_a_larger_memory_takes_over_from_the_quick_one(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = solve(sized(4, 3))
    monkeypatch.setattr(solve_search, "QUICK_NODES", 20_000)
    again = solve(sized(4, 3))
    assert again.moves == whole.moves
    assert again.positions > whole.positions


def test_watching_and_an_interrupt() -> None:
    solve(sized(1, 1))  # compiles
    before = threading.active_count()  # other tests may have left some
    seen: list[str] = []

    def watch(line: str) -> None:
        seen.append(line)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(sized(7, 6), watch=watch)
    assert "0 of 7 first moves solved" in seen[0]
    until = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert threading.active_count() <= before  # the search has stopped


def test_a_bound_that_a_round_might_reach_is_left_out_and_that_is_said() -> None:
    rules = sized(2, 2)
    assert longest_round(rules) == 44
    free = solve(rules.with_keys({"end.max_plies": 44}))
    short = solve(rules.with_keys({"end.max_plies": 43}))
    assert not free.notes
    assert short.notes == ("end.max_plies is left out: a round may go on to its end.",)
    assert short.moves == free.moves


def test_counts_of_endgames() -> None:
    awari = load_variant("awari").rules
    assert count_endgames(awari, 2)[2] == {-2: 40, 0: 13, 2: 25}


def test_what_cannot_be_solved_is_refused() -> None:
    with pytest.raises(UserError, match=r"match\.kind = 'sunog' cannot be solved"):
        solve(load_variant("sungka", {"match.kind": "sunog"}).rules)
    with pytest.raises(UserError, match="too few"):
        solve(sized(2, 2), memory=1000)
    with pytest.raises(UserError, match="not to be had here"):
        solve(sized(2, 2), memory=1 << 60)
