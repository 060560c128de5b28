"""Shards: every missing game in one of them, each once, the same ones however they come about."""

from hypothesis import given
from hypothesis import strategies as st
from played import plan_of

from pipelines.shards import (
    LARGEST,
    SMALLEST,
    Coverage,
    Shard,
    Span,
    count_missing,
    pack,
    shard_games,
    shards_of,
)

CELLS = st.sampled_from(["a", "b", "c"])
SPANS = st.lists(st.builds(Span, CELLS, st.integers(0, 60), st.integers(1, 30)), max_size=12)


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
    shards = shards_of(plan_of({"games": 1000, "grid": grid}), Coverage())
    assert len(shards) == 4
    assert count_missing(plan_of({"games": 1000, "grid": grid}), Coverage()) == (100_000, 4)
    assert [s.spans[0].cell for s in shards] == sorted(s.spans[0].cell for s in shards)
    assert [s.file for s in shards] == sorted(s.file for s in shards)


def test_what_an_interruption_leaves_are_the_same_shards() -> None:
    plan = plan_of({"games": 100_000, "grid": {"variant": ["kalah", "owari", "sungka"]}})
    shards = shards_of(plan, Coverage())
    done = shards[1:5] + shards[7:9]
    left = shards_of(plan, Coverage(span for shard in done for span in shard.spans))
    assert left == [shard for shard in shards if shard not in done]
    coverage = Coverage(span for shard in done for span in shard.spans)
    assert count_missing(plan, coverage) == (sum(shard.games for shard in left), len(left))
    assert shards_of(plan, Coverage(span for shard in shards for span in shard.spans)) == []


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
