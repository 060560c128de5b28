"""What statistics are made of: exact counts, and a sample of digests that merges."""

from typing import Any

import duckdb
import numpy as np
import pytest
from made import cell
from numpy.typing import NDArray

from pipelines.measures import ShardTally
from pipelines.schema import game_rows
from pipelines.shards import Shard, Span
from pipelines.statistics import RowTally
from pipelines.statistics_sql import GUARD, MACROS
from pipelines.tallies import SMALLEST, Histogram, Sample
from sim.playing import game_key, play


def test_a_histogram_counts_whatever_comes_in_whatever_order() -> None:
    draw = np.random.default_rng(1)
    batches = [draw.integers(-n, 3 * n + 1, 50, np.int16) for n in (1, 40, 3, 900, 0)]
    histogram = Histogram()
    for batch in batches:
        histogram.add(batch)
    values, games = histogram.result()
    expected = np.unique(np.concatenate(batches), return_counts=True)
    assert (values.tolist(), games.tolist()) == tuple(part.tolist() for part in expected)


def sampled(digests: NDArray[np.uint64], batch: int = 5_000) -> tuple[Any, Any]:
    sample = Sample()
    for first in range(0, len(digests), batch):
        sample.add(digests[first : first + batch])
    return sample.result()


@pytest.mark.parametrize("different", [1, SMALLEST, SMALLEST + 1, 30_000])
def test_a_sample_holds_the_smallest_digests_and_all_their_games(different: int) -> None:
    draw = np.random.default_rng(different)
    known = draw.integers(0, 2**64, different, np.uint64)
    digests = draw.choice(known, 60_000)
    values, games = np.unique(digests, return_counts=True)
    found = sampled(digests)
    assert found[0].tolist() == values[:SMALLEST].tolist()
    assert found[1].tolist() == games[:SMALLEST].tolist()


def estimates(trials: list[NDArray[np.uint64]]) -> NDArray[np.float64]:
    """Return what the view's estimate says of each trial's games."""
    rows = []
    for digests in trials:
        values, games = sampled(digests)
        last = int(values[-1])
        sums = int(games.sum()), int((games * games).sum())
        rows.append((len(values), len(digests), *sums, last, int(games[-1])))
    with duckdb.connect() as connection:
        connection.execute(MACROS)
        connection.execute(
            "CREATE TABLE t (k BIGINT, n BIGINT, s BIGINT, q BIGINT, last UBIGINT, m BIGINT)"
        )
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)
        found = connection.execute("SELECT distinct_estimate(k, n, s, q, last, m) FROM t")
        return np.array([row[0] for row in found.fetchall()], np.float64)


def hashed(draw: np.random.Generator, which: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a fresh digest for each kind of game."""
    return draw.integers(0, 2**64, int(which.max()) + 1, np.uint64)[which]


def test_the_estimate_is_exact_where_all_games_differ() -> None:
    draw = np.random.default_rng(2)
    found = estimates([hashed(draw, np.arange(n)) for n in (5_000, 50_000, 1_000_000)])
    assert found.tolist() == [5_000, 50_000, 1_000_000]


def few_heavy(draw: np.random.Generator) -> NDArray[Any]:
    """Three games in ten are one of twenty; the others differ."""
    repeats = draw.integers(0, 20, 60_000)
    return np.concatenate([repeats, np.arange(20, 140_020)])


def zipf(draw: np.random.Generator) -> NDArray[Any]:
    return draw.zipf(1.3, 200_000) % 1_000_000


def pairs(draw: np.random.Generator) -> NDArray[Any]:
    """One game in twenty comes twice: where knowing how many games there are helps most."""
    return np.concatenate([np.arange(95_000), np.arange(5_000)])


def one_hidden(draw: np.random.Generator) -> NDArray[Any]:
    """Six games in a hundred are one, mostly not sampled and just not missed: the worst case."""
    return np.concatenate([np.zeros(6_000, np.int64), np.arange(1, 94_001)])


@pytest.mark.parametrize(
    ("kind", "most"), [(few_heavy, 1.2), (zipf, 1.2), (pairs, 0.35), (one_hidden, GUARD)]
)
def test_the_estimate_errs_as_a_sample_of_that_size_does_or_less(kind: Any, most: float) -> None:
    draw = np.random.default_rng(3)
    trials = [kind(draw) for _ in range(60)]
    truth = np.array([len(np.unique(which)) for which in trials], np.float64)
    errors = estimates([hashed(draw, which) for which in trials]) / truth - 1
    plain = 1 / np.sqrt(SMALLEST)  # the relative standard error of (k - 1) / u
    assert np.sqrt((errors**2).mean()) < most * plain
    if kind is not one_hidden:
        assert abs(errors.mean()) < 4 * errors.std() / np.sqrt(len(errors)) + 1e-4


@pytest.mark.parametrize(
    ("variant", "keys"),
    [("sungka", {}), ("owari", {}), ("sungka", {"match_kind": "sunog", "match_max_rounds": 5})],
)
def test_batches_change_nothing_nor_do_rows(variant: str, keys: dict[str, Any]) -> None:
    """The statistics of games as they are played, in whatever pieces, are those of their rows."""
    played = cell(variant, **keys)
    shard = Shard(0, "games", (Span(played.id, 0, 70), Span(played.id, 90, 30)))
    tables = []
    rows = RowTally(shard)
    logged = not played.rules.plain_round
    for size in (1, 64, 1000):
        tally = ShardTally(shard.seed)
        for span in shard.spans:
            mine = tally.begin(span)
            while mine.games < span.games:
                count = min(size, span.games - mine.games)
                first = span.first + mine.games
                key = game_key(shard.seed, played.id)
                games = play(played.rules, played.agents, key, first, count)
                mine.add(games, logged=logged)
                if size == 64:
                    rows.add(game_rows(games, played.id, 0, log="games", rounds=logged))
        tables.append(tally.table())
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])
    assert tables[0].equals(rows.table())
