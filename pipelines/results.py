"""What games came to, span by span: all that decides whether more of them are to be played."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipelines.manifest import Row
from pipelines.reading import UnreadableError, games_of, read_pieces
from pipelines.shards import Span
from pipelines.statistics import statistics_at_hand
from sim.errors import UserError

_COLUMNS = ["cell", "first", "games", "wins0", "draws", "by_margin"]


class Result(NamedTuple):
    """The games of a span: who won how many, and the sums of margins and of their squares."""

    span: Span
    wins: int
    draws: int
    losses: int
    margins: int
    squares: int


def read_results(row: Row, folder: Path) -> Iterator[Result]:
    """Yield what the games of a shard came to, span by span. Raises `UserError` if damaged."""
    table = statistics_at_hand(row, folder, _COLUMNS)
    margins: Any = table["by_margin"].combine_chunks()
    pairs = margins.flatten()
    values, games = (pairs.field(name).to_numpy() for name in ("value", "games"))
    value, count = values.astype(np.int64), games.astype(np.int64)
    starts = margins.offsets.to_numpy()[:-1] - margins.offsets[0].as_py()
    sums = (np.add.reduceat(products, starts).tolist() for products in _powers(value, count))
    columns = (table[name].to_pylist() for name in ("cell", "first", "games", "wins0", "draws"))
    for cell, first, n, wins, draws, sum_, squares in zip(*columns, *sums, strict=True):
        yield Result(Span(cell, first, n), wins, draws, n - wins - draws, sum_, squares)


def split(result: Result, games: int, row: Row, folder: Path) -> tuple[Result, Result]:
    """Take the first games of a span apart from the others, by the rows of a shard.

    Raises `UserError` where no rows are kept, or the shard is damaged.
    """
    span = result.span
    if row.bare:
        raise UserError(
            f"{folder / row.file}: of its games only statistics are kept (--log none), of more at a"
            " time than [stop] judges: choose another --out"
        )
    first = Result(Span(span.cell, span.first, 0), 0, 0, 0, 0, 0)
    wanted = Span(span.cell, span.first, games)
    for cell, rows in read_pieces(folder / row.file):
        if cell == span.cell and (mine := games_of(rows, wanted)).num_rows:
            first = _added(first, mine)
    if first.span.games != games:
        raise UnreadableError(folder / row.file, "it does not hold the games that its row says")
    rest = [all_ - part for all_, part in zip(result[1:], first[1:], strict=True)]
    return first, Result(Span(span.cell, span.first + games, span.games - games), *rest)


def _powers(value: NDArray[np.int64], count: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    yield value * count
    yield value * value * count


def _added(result: Result, rows: pa.RecordBatch) -> Result:
    """Return a result with games that follow those of its span."""
    margin = np.subtract(*(rows.column(f"score{i}").to_numpy().astype(np.int64) for i in (0, 1)))
    winner = rows.column("winner").fill_null(-1).to_numpy()
    wins, losses = (int(np.count_nonzero(winner == player)) for player in (0, 1))
    draws = rows.num_rows - wins - losses
    more = (wins, draws, losses, int(margin.sum()), int(np.dot(margin, margin)))
    span = result.span._replace(games=result.span.games + rows.num_rows)
    return Result(span, *(old + new for old, new in zip(result[1:], more, strict=True)))
