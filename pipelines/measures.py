"""The measures: what is kept of the games of a span, and what any number of spans add up to.

This is the one list of them. Each says what it is named, how it merges, how it is computed
from a batch of games, and how from the rows of games in SQL, for games whose statistics are not
there. The file's schema, the tallies of a run and the view `statistics` are made from it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipelines.shards import Span
from pipelines.tallies import Histogram, Sample, Tally, Total, counts_type
from sim.kernel.names import REASONS

if TYPE_CHECKING:  # it loads the compiler, which whoever reads statistics does not need
    from sim.games import Games

Merging = Literal["total", "counts", "sample"]
_TALLIES: dict[Merging, type[Total | Histogram | Sample]] = {
    "total": Total, "counts": Histogram, "sample": Sample
}  # fmt: skip

_INTEGER = pa.int32()


@dataclass(frozen=True)
class Measure:
    """A column of the statistics.

    A `total` adds up. `counts` hold how many games have each value: those of equal values add
    up. A `sample` does the same, then keeps the smallest values.
    """

    name: str
    merging: Merging
    of: Callable[["Batch"], Any]  # an integer or None for a total, else an integer a game
    sql: str  # the same over rows of `games`: of all for a total, else of one
    value: pa.DataType = _INTEGER
    of_matches: bool = False  # null where games log no rounds

    @property
    def type(self) -> pa.DataType:
        """The column's type."""
        return pa.int64() if self.merging == "total" else counts_type(self.value)


class Batch:
    """Games of one cell, and what several measures of them share. `logged`: with their rounds."""

    def __init__(self, games: "Games", *, logged: bool) -> None:
        self.games = games
        self.logged = logged
        if logged:
            self._sum_rounds()

    def _sum_rounds(self) -> None:
        """Work out, for each match, what the measures of matches add up."""
        g = self.games
        offsets, n = g.round_offsets, g.rounds.astype(np.int64)
        won = np.where(g.round_winner < 0, 1, 2 * (g.round_winner == g.round_first_player))
        self.starter = _sums(won, offsets)
        self.burnt = _sums(g.round_burnt.sum(axis=1, dtype=np.int64), offsets)
        none = np.int64(-1)
        some, halves = np.flatnonzero(n), np.flatnonzero(n > 1)
        self.opener = np.full(len(n), none)
        self.opener[some] = g.round_winner[offsets[:-1][some]]
        lead = np.sign(g.round_scores[:, 0].astype(np.int64) - g.round_scores[:, 1])
        self.ahead = np.full(len(n), none)  # who is ahead after half the rounds
        at_half = lead[offsets[:-1][halves] + n[halves] // 2 - 1]
        self.ahead[halves] = np.choose(at_half + 1, [1, none, 0])

    def total_of_matches(self, of: Callable[[], NDArray[Any]]) -> int | None:
        """Return the sum of what `of` gives for each match, `None` where there are no rounds."""
        return int(of().sum(dtype=np.int64)) if self.logged else None


def _sums(values: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of each match's rounds."""
    before = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    return np.asarray(before[offsets[1:]] - before[offsets[:-1]])


def _won(player: int) -> Callable[[Batch], int]:
    return lambda b: int(np.count_nonzero(b.games.winner == player))


def _matches(of: Callable[[Batch], NDArray[Any]]) -> Callable[[Batch], int | None]:
    return lambda b: b.total_of_matches(lambda: of(b))


def _turned(who: Callable[[Batch], NDArray[Any]]) -> Callable[[Batch], int | None]:
    return _matches(lambda b: (who(b) >= 0) & (b.games.winner >= 0) & (who(b) != b.games.winner))


# Of one game's row in SQL: twice the points of those who began its rounds, burnt pits, and who
# won the first round and who was ahead after half of them; null without a log of rounds.
_STARTER = (
    "CASE WHEN round_log IS NOT NULL THEN coalesce(list_sum(list_transform(round_log, lambda r:"
    " CASE WHEN r.winner IS NULL THEN 1 WHEN r.winner = r.first_player THEN 2 ELSE 0 END)), 0) END"
)
_BURNT = (
    "CASE WHEN round_log IS NOT NULL THEN coalesce(list_sum(list_transform(round_log, lambda r:"
    " r.burnt0 + r.burnt1)), 0) END"
)
_HALF = "round_log[rounds // 2]"
_AHEAD = f"CASE sign({_HALF}.score0 - {_HALF}.score1) WHEN 1 THEN 0 WHEN -1 THEN 1 END"
_ROUNDS = "CASE WHEN round_log IS NOT NULL THEN rounds END"


def _sql_turned(condition: str) -> str:
    return f"sum(CASE WHEN round_log IS NOT NULL THEN coalesce({condition}, false)::INTEGER END)"


MEASURES = (
    Measure("wins0", "total", _won(0), "count(*) FILTER (winner = 0)"),
    Measure("draws", "total", _won(-1), "count(*) FILTER (winner IS NULL)"),
    Measure("wins1", "total", _won(1), "count(*) FILTER (winner = 1)"),
    Measure("rounds", "total", lambda b: b.games.rounds.sum(dtype=np.int64), "sum(rounds)"),
    Measure("plies", "total", lambda b: b.games.plies.sum(dtype=np.int64), "sum(plies)"),
    Measure("turns", "total", lambda b: b.games.turns.sum(dtype=np.int64), "sum(turns)"),
    Measure("laps", "total", lambda b: b.games.laps.sum(), "sum(laps)"),
    Measure(
        "laps_squared", "total", lambda b: np.dot(b.games.laps, b.games.laps), "sum(laps * laps)"
    ),
    Measure("by_reason", "counts", lambda b: b.games.reason, "reason", pa.string()),
    Measure(
        "by_margin", "counts", lambda b: np.subtract(*b.games.scores.T), "score0 - score1"
    ),
    Measure("by_rounds", "counts", lambda b: b.games.rounds, "rounds"),
    Measure("by_plies", "counts", lambda b: b.games.plies, "plies"),
    Measure("by_turns", "counts", lambda b: b.games.turns, "turns"),
    # Of matches alone. Points are doubled, so that they are integers.
    Measure("starter_points2", "total", _matches(lambda b: b.starter), f"sum({_STARTER})",
            of_matches=True),
    Measure(
        "starter_points2_squared", "total", _matches(lambda b: b.starter * b.starter),
        f"sum(({_STARTER}) * ({_STARTER}))", of_matches=True,
    ),
    Measure(
        "starter_points2_rounds", "total", _matches(lambda b: b.starter * b.games.rounds),
        f"sum(({_STARTER}) * rounds)", of_matches=True,
    ),
    Measure(
        "rounds_squared", "total", _matches(lambda b: b.games.rounds.astype(np.int64) ** 2),
        f"sum(({_ROUNDS})::BIGINT * rounds)", of_matches=True,
    ),
    Measure("burnt", "total", _matches(lambda b: b.burnt), f"sum({_BURNT})", of_matches=True),
    Measure(
        "opened", "total", _matches(lambda b: (b.opener >= 0) & (b.games.winner >= 0)),
        _sql_turned("round_log[1].winner IS NOT NULL AND winner IS NOT NULL"), of_matches=True,
    ),
    Measure("first_turned", "total", _turned(lambda b: b.opener),
            _sql_turned("winner <> round_log[1].winner"), of_matches=True),
    Measure("half_turned", "total", _turned(lambda b: b.ahead),
            _sql_turned(f"winner <> {_AHEAD}"), of_matches=True),
    Measure("digests", "sample", lambda b: b.games.digest, "digest", pa.uint64()),
)  # fmt: skip

_OPEN = 256  # spans whose tallies are kept at once

STATISTICS = pa.schema(
    [
        pa.field("cell", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("seed", pa.int64(), nullable=False),
        pa.field("first", pa.int64(), nullable=False),
        pa.field("games", pa.int64(), nullable=False),
        *(pa.field(m.name, m.type, nullable=m.of_matches) for m in MEASURES),
    ]
)
"""One row a span: games `first` … of a cell and seed, and the measures of them."""


class SpanTally:
    """Gathers all measures of the games of one span."""

    def __init__(self, span: Span) -> None:
        self.span = span
        self.games = 0
        self.tallies: list[Tally] = [_TALLIES[measure.merging]() for measure in MEASURES]

    def add(self, games: "Games", *, logged: bool) -> None:
        """Take the span's next games; `logged` says whether their rounds are logged."""
        self.games += games.count
        batch = Batch(games, logged=logged)
        for measure, tally in zip(MEASURES, self.tallies, strict=True):
            tally.add(measure.of(batch))


class ShardTally:
    """Gathers the statistics of a shard, span by span, of which there may be very many."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._open: list[SpanTally] = []
        self._tables: list[pa.Table] = []

    def begin(self, span: Span) -> SpanTally:
        """Begin the next span; what was begun before has all its games."""
        if len(self._open) == _OPEN:
            self._close()
        self._open.append(SpanTally(span))
        return self._open[-1]

    def table(self) -> pa.Table:
        """Return the rows of `STATISTICS`, in the order of the spans, when all are complete."""
        self._close()
        return pa.concat_tables(self._tables).unify_dictionaries().combine_chunks()

    def _close(self) -> None:
        if self._open:
            self._tables.append(_table(self._open, self._seed))
            self._open = []


def _table(spans: Sequence[SpanTally], seed: int) -> pa.Table:
    cells = sorted({tally.span.cell for tally in spans})
    places = {cell: place for place, cell in enumerate(cells)}
    index = pa.array([places[tally.span.cell] for tally in spans], pa.int32())
    columns: dict[str, Any] = {
        "cell": pa.DictionaryArray.from_arrays(index, pa.array(cells, pa.string())),
        "seed": pa.array([seed] * len(spans), pa.int64()),
        "first": pa.array([tally.span.first for tally in spans], pa.int64()),
        "games": pa.array([tally.games for tally in spans], pa.int64()),
    }
    for place, measure in enumerate(MEASURES):
        results = [tally.tallies[place].result() for tally in spans]
        columns[measure.name] = (
            pa.array(results, pa.int64())
            if measure.merging == "total"
            else _lists(measure, results)
        )
    return pa.Table.from_arrays(list(columns.values()), schema=STATISTICS)


def _lists(measure: Measure, results: list[Any]) -> Any:
    values = np.concatenate([values for values, _ in results])
    games = np.concatenate([games for _, games in results])
    offsets = np.concatenate([[0], np.cumsum([len(games) for _, games in results])])
    if measure.value == pa.string():  # a reason's place stands for it
        values = np.array(REASONS)[values]
    kind: Any = measure.type
    pairs = pa.StructArray.from_arrays(
        [pa.array(values, measure.value), pa.array(games)], fields=list(kind.value_type)
    )
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pairs, type=kind)
