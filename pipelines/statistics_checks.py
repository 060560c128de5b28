"""Checks statistics: against each other, against rows, and against games played anew."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from pipelines.cell_games import CellGames
from pipelines.cells import Cell
from pipelines.manifest import Row, read_footer, seal_of
from pipelines.measures import MEASURES, ShardTally
from pipelines.reading import UnreadableError
from pipelines.shards import Span
from pipelines.statistics import plies_of, read_statistics, spans_of
from pipelines.tallies import SMALLEST

ANEW = 1 << 20
"""Games of which no rows are kept that are played anew, if the first span is not larger."""

_SUMS = {"by_rounds": "rounds", "by_plies": "plies", "by_turns": "turns"}


def chosen_anew(rows: Iterable[Row]) -> dict[str, set[Span]]:
    """Choose, by file, the spans without rows that are played anew, as many as `ANEW` allows.

    Each cell's smallest span comes first, then the others, the smaller ones first.
    """
    spans = sorted((span.games, row.file, span) for row in rows if row.bare for span in row.spans)
    seen: set[str] = set()
    ranked = []
    for games, file, span in spans:
        ranked.append((span.cell in seen, games, file, span))
        seen.add(span.cell)
    chosen: dict[str, set[Span]] = {}
    room = ANEW
    for _, games, file, span in sorted(ranked):
        if games <= room or not chosen:
            chosen.setdefault(file, set()).add(span)
            room -= games
    return chosen


def statistics_faults(row: Row, folder: Path, expected: pa.Table | None) -> Iterator[str]:
    """Yield what is wrong with the statistics beside rows. `expected`: those of the rows."""
    path = folder / row.statistics_file
    if not path.is_file():
        if row.statistics:
            yield "its statistics are missing: the plan's next run makes them"
        return
    if row.statistics and seal_of(path) != row.statistics:
        yield "the bytes of its statistics have changed: the checksum differs from the manifest's"
    try:
        if read_footer(path).footer != row.footer:
            yield "its statistics' footer tells of another shard"
        found = read_statistics(path)
    except UnreadableError as error:
        yield f"its statistics cannot be read: {error.reason}"
    except ValueError as error:
        yield f"its statistics: {error}"
    else:
        if expected is not None:
            yield from _differing(found, expected, "its games give")


def bare_faults(
    row: Row,
    folder: Path,
    cells: Mapping[str, Cell],
    anew: Iterable[Span],
    tick: Callable[[], None],
) -> Iterator[str]:
    """Yield what is wrong with the statistics of a shard of which no rows are kept.

    Their totals have to agree; the spans of `anew` are played. `tick` is called now and then.
    """
    try:
        table = read_statistics(folder / row.file)
    except UnreadableError as error:
        yield f"it cannot be read: {error.reason}"
        return
    if spans_of(table) != row.spans or set(table["seed"].to_pylist()) != {row.seed}:
        yield "it does not hold the games that its row says"
        return
    if plies_of(table) != row.moves:
        yield "it does not hold as many moves as its row says"
    for place, span in enumerate(row.spans):
        if span.cell not in cells:
            yield f"it has games of cell {span.cell}, which is none of the dataset's"
            return
        yield from (f"{_name(span)}: {what}" for what in _unequal_totals(table.slice(place, 1)))
    places = {span: place for place, span in enumerate(row.spans)}
    for span in sorted(anew):
        played, place = _play_anew(row, span, cells[span.cell], tick), places[span]
        yield from _differing(table.slice(place, 1), played, "played anew they give")


def _play_anew(row: Row, span: Span, cell: Cell, tick: Callable[[], None]) -> pa.Table:
    shard = ShardTally(row.seed)
    tally = shard.begin(span)
    played = CellGames(cell, row.seed)
    while tally.games < span.games:
        tick()
        first = span.first + tally.games
        games = played.play(first, span.stop - first, tick)
        tally.add(games, logged=played.logs_rounds)
    return shard.table()


def _unequal_totals(one: pa.Table) -> Iterator[str]:
    """Yield which figures of one span cannot be together."""
    [row] = one.to_pylist()
    if row["wins0"] + row["draws"] + row["wins1"] != row["games"]:
        yield "its wins and draws are not its games"
    for measure in MEASURES:
        if measure.merging == "total":
            continue
        counts = row[measure.name]
        values = [count["value"] for count in counts]
        games = sum(count["games"] for count in counts)
        if measure.merging == "sample":
            few = games <= row["games"] if len(counts) == SMALLEST else games == row["games"]
            if not few or len(counts) > SMALLEST or values != sorted(set(values)):
                yield f"its {measure.name} are no sample of its games"
        elif games != row["games"]:
            yield f"its {measure.name} are not its games"
        total = _SUMS.get(measure.name)
        if total and sum(c["value"] * c["games"] for c in counts) != row[total]:
            yield f"its {total} are not the sum of its {measure.name}"


def _differing(found: pa.Table, expected: pa.Table, how: str) -> Iterator[str]:
    """Yield which figures differ, a line a span."""
    if found.equals(expected):
        return
    if found.num_rows != expected.num_rows:
        yield f"its statistics have {found.num_rows:,} rows, {how} {expected.num_rows:,}"
        return
    for place, span in enumerate(spans_of(expected)):
        have, want = (table.slice(place, 1).to_pylist()[0] for table in (found, expected))
        if names := [name for name in want if have[name] != want[name]]:
            yield f"{_name(span)}: its {', '.join(names)} in the statistics are not what {how}"


def _name(span: Span) -> str:
    return f"games {span.first:,} to {span.stop - 1:,} of cell {span.cell}"
