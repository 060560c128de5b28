"""Shards: every missing game in one of them, each once, the same ones however they come about."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from played import plan_of

from pipelines import sweep
from pipelines.dataset import open_dataset
from pipelines.executors import Stopped, Threads
from pipelines.plan import Plan
from pipelines.play import _next_chunk
from pipelines.shards import (
    FEWEST,
    GAME_SECONDS,
    LARGEST,
    LONGEST,
    PARTS,
    SMALLEST,
    Coverage,
    Shard,
    Span,
    games_of_shard,
    pack,
    shard_games,
    shards_of,
    weight_of,
)
from sim.agents import parse_agent

CELLS = st.sampled_from(["a", "b", "c"])
SPANS = st.lists(st.builds(Span, CELLS, st.integers(0, 60), st.integers(1, 30)), max_size=12)


def left_of(plan: Plan, have: Coverage) -> list[Shard]:
    """Return the shards that complete a plan without [stop]."""
    whole = (Span(cell.id, 0, plan.games) for cell in plan.shared)
    return shards_of(plan, (part for span in whole for part in have.missing(span)), plan.total)


def numbers(spans: list[Span]) -> set[tuple[str, int]]:
    return {(span.cell, game) for span in spans for game in range(span.first, span.stop)}


@given(SPANS, SPANS)
def test_coverage_is_a_set_of_games(first: list[Span], more: list[Span]) -> None:
    held = Coverage(first)
    held.add(more)
    have = numbers(first + more)
    for cell in "abc":
        assert held.count(cell) == sum(1 for c, _ in have if c == cell)
        assert held.count(cell, 40) == sum(1 for c, game in have if c == cell and game < 40)
        missing = list(held.missing(Span(cell, 5, 80)))
        assert numbers(missing) == {(cell, game) for game in range(5, 85)} - have
        assert sum(span.games for span in missing) == len(numbers(missing))


@given(SPANS, st.integers(1, 50))
def test_packing_keeps_order_and_fills_every_shard_but_the_last(
    spans: list[Span], size: int
) -> None:
    shards = list(pack(spans, 0, "moves", size))
    assert all(shard.games == size for shard in shards[:-1])
    assert all(0 < shard.games <= size for shard in shards)

    def flat(parts: list[Span]) -> list[tuple[str, int]]:
        return [(part.cell, game) for part in parts for game in range(part.first, part.stop)]

    assert flat([span for shard in shards for span in shard.spans]) == flat(spans)


def test_few_and_large() -> None:
    assert shard_games(1) == SMALLEST
    assert shard_games(1_600_000) == 100_000
    assert shard_games(10**9) == LARGEST
    grid = {"variant": ["kalah"], "board.pits": list(range(1, 11)),
            "board.seeds": list(range(1, 11))}  # fmt: skip
    shards = left_of(plan_of({"games": 1000, "grid": grid}), Coverage())
    assert len(shards) == 4
    assert games_of_shard(plan_of({"games": 1000, "grid": grid}), 100_000) == SMALLEST
    assert [s.spans[0].cell for s in shards] == sorted(s.spans[0].cell for s in shards)
    assert [s.file for s in shards] == sorted(s.file for s in shards)


def test_of_slower_players_a_shard_takes_a_minute_at_most() -> None:
    # Datasets of random and greedy players that are there go on in the same shards.
    for total in (1, 300_000, 1_600_000, 10**9):
        assert shard_games(total) == max(SMALLEST, min(LARGEST, -(-total // PARTS)))
        for agent in ("greedy", "greedy:opponent=heed", "random,eps=0.5"):
            assert shard_games(total, parse_agent(agent).weight) == shard_games(total)
    for weight in (10.0**n for n in range(2, 10)):
        sizes = [shard_games(total, weight) for total in (1, 10**5, 10**7, 10**10)]
        assert sizes == sorted(sizes)
        assert min(sizes) >= FEWEST
        assert max(sizes) <= LARGEST
        assert max(sizes) == FEWEST or max(sizes) * weight * GAME_SECONDS <= LONGEST


def plan_with(*agents: str, games: int = 100_000) -> Plan:
    pairs = [[a, a] for a in agents]
    return plan_of({"games": games, "grid": {"variant": ["kalah"], "agents": pairs}})


def test_the_slowest_pairing_decides_for_all() -> None:
    fast, slow, both = plan_with("random"), plan_with("mcts:400"), plan_with("random", "mcts:400")
    assert left_of(fast, Coverage())[0].games == SMALLEST
    shards = left_of(both, Coverage())
    assert shards[0].games == left_of(slow, Coverage())[0].games == 5_000
    assert len(shards) == 40
    assert games_of_shard(both, both.total) == 5_000
    done = [span for shard in shards[3:30:2] for span in shard.spans]
    left = left_of(both, Coverage(done))
    assert left == [*shards[:3], *shards[4:30:2], *shards[30:]]


def test_one_seat_of_a_slow_player_is_half_as_slow() -> None:
    pairs = [["mcts:400", "random"]]
    plan = plan_of({"games": 100_000, "grid": {"variant": ["kalah"], "agents": pairs}})
    assert weight_of(plan.cells[0]) == 8_000.5
    assert left_of(plan, Coverage())[0].games == shard_games(100_000, 8_000.5)


def test_what_an_interruption_leaves_are_the_same_shards() -> None:
    plan = plan_of({"games": 100_000, "grid": {"variant": ["kalah", "owari", "sungka"]}})
    shards = left_of(plan, Coverage())
    done = shards[1:5] + shards[7:9]
    left = left_of(plan, Coverage(span for shard in done for span in shard.spans))
    assert left == [shard for shard in shards if shard not in done]
    assert left_of(plan, Coverage(span for shard in shards for span in shard.spans)) == []


def test_an_id_is_of_the_content() -> None:
    one = Shard(0, "moves", (Span("a", 0, 5),))
    others = [
        Shard(1, "moves", (Span("a", 0, 5),)),
        Shard(0, "games", (Span("a", 0, 5),)),
        Shard(0, "moves", (Span("b", 0, 5),)),
        Shard(0, "moves", (Span("a", 0, 2), Span("a", 2, 3))),
    ]
    assert len({shard.id for shard in [one, *others]}) == 5
    assert one.id == Shard(0, "moves", (Span("a", 0, 5),)).id


class Impatient(Threads):
    """Wants all to stop when it is asked for the third time."""

    asked = 0

    def check(self) -> None:
        self.asked += 1
        if self.asked == 3:
            raise Stopped


def test_a_shard_is_stopped_between_the_moves_of_its_games(tmp_path: Path) -> None:
    grid = {"variant": ["kalah"], "agents": [["greedy", "greedy"]]}
    executor = Impatient(1)
    with pytest.raises(Stopped):
        sweep.run(plan_of({"games": 5, "grid": grid}), tmp_path / "d", executor, lambda _: None)
    assert executor.asked == 3  # a single batch asks once a ply, and once when it is over
    assert open_dataset(tmp_path / "d").rows == []


def test_a_chunk_has_games_enough_for_a_search() -> None:
    assert _next_chunk(256, 1.0) == 128
    assert _next_chunk(64, 1.0) == _next_chunk(100, 1.0) == 64
    assert _next_chunk(64, 0.01) == 128
