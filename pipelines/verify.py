"""Verifies a dataset: every checksum, and every stored figure against the game's moves."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from pipelines.cell_games import warm_cells
from pipelines.cell_table import cell_row, read_cells
from pipelines.cells import Cell, make_cell
from pipelines.checks import check_games
from pipelines.dataset import adopted, difference, open_dataset, read_plans, unlisted
from pipelines.executors import Executor, Heed, Tick
from pipelines.files import checksum
from pipelines.logs import WITH_MOVES
from pipelines.manifest import Row, read_footer, read_manifest
from pipelines.messages import tell
from pipelines.plan import Plan
from pipelines.progress import Meter
from pipelines.reading import UnreadableError, read_pieces
from pipelines.sample import RefereeSample
from pipelines.schedule import Schedule
from pipelines.shards import Coverage, Shard, Span
from pipelines.statistics import RowTally
from pipelines.statistics_checks import bare_faults, chosen_anew, statistics_faults
from sim.errors import UserError
from sim.warming import warm_replay

MAX_FAULTS = 5  # told of in one shard


@dataclass
class Report:
    """What was verified, and the faults found, each a line that says which file and what.

    `moves` were replayed, `anew` games, which have no moves, were played anew; of `bare` games no
    rows are kept; `refereed` games of `refereed_cells` cells were played by the referee as well;
    `missing` are still to be played. `unlisted` shards are in place but not in the manifest, so
    that no checksum of them is known.
    """

    shards: int = 0
    games: int = 0
    moves: int = 0
    anew: int = 0
    bare: int = 0
    refereed: int = 0
    refereed_cells: int = 0
    missing: int = 0
    unlisted: int = 0
    faults: list[str] = field(default_factory=list)


def verify(folder: Path, executor: Executor) -> Report:
    """Verify a dataset. Raises `UserError` where there is none; faults are in the report.

    Each shard's size, checksum, footer, schema and order of games are checked, each logged game
    is replayed, each that was logged without moves played anew, and all its figures compared, as
    are the statistics; a sample of the games goes through the referee. Of games without rows a
    part is played anew.
    """
    if not folder.is_dir() or not (folder / "plan.toml").is_file():
        open_dataset(folder)  # refuses it with a reason
    report = Report()
    plans = read_plans(folder)
    cells = _cells(folder, plans, report.faults)
    rows = _rows(folder, report.faults)
    report.unlisted = sum(not row.checksum for row in rows)
    report.faults += _strays(folder, rows)
    report.missing = _missing(folder, rows, plans, report.faults)
    sample = RefereeSample(row for row in rows if not row.bare and (folder / row.file).is_file())
    anew = chosen_anew(rows)
    if any(row.log in WITH_MOVES for row in rows):
        warm_replay((cell.rules for cell in cells.values()), tell)
    if any(row.log not in WITH_MOVES for row in rows):
        warm_cells(cells.values(), tell)
    with Meter(sum(row.rows for row in rows)) as meter:

        def work(row: Row, tick: Tick, heed: Heed) -> tuple[Row, list[str]]:
            faults = list(_shard_faults(row, folder, plans))
            if not (folder / row.file).is_file():
                pass
            elif row.bare:
                mine = anew.get(row.file, ())
                faults += bare_faults(row, folder, cells, mine, heed)
            else:
                faults += _game_faults(row, folder, cells, sample, heed)
            tick(row.rows)
            return row, faults

        with closing(executor.run(rows, work, meter.add)) as results:
            for row, faults in results:
                report.shards += 1
                report.games += row.rows
                if row.bare:
                    report.bare += row.rows
                    report.anew += sum(span.games for span in anew.get(row.file, ()))
                elif row.log in WITH_MOVES:
                    report.moves += row.moves
                else:
                    report.anew += row.rows
                report.faults += [f"{row.file}: {fault}" for fault in faults[:MAX_FAULTS]]
                if more := len(faults[MAX_FAULTS:]):
                    report.faults.append(f"{row.file}: and {more:,} more faults")
    report.faults += [*sample.faults(), *_doubles(rows)]
    report.refereed, report.refereed_cells = sample.games, sample.cells
    return report


def _cells(folder: Path, plans: Iterable[Plan], faults: list[str]) -> dict[str, Cell]:
    """Return the cells by id as the plans have them, and check the table of cells against them."""
    cells: dict[str, Cell] = {}
    planned: dict[str, list[Cell]] = {}  # merged plans may have one cell under several names
    for plan in plans:
        for cell in plan.cells:
            cells[cell.id] = cell
            planned.setdefault(cell.id, []).append(cell)
    try:
        table = read_cells(folder)
    except UserError as error:
        faults.append(str(error))
        return cells
    for ident, cell in table.items():
        meant = make_cell(cell.variant, cell.rules, cell.agents, cell.opening_plies)
        if meant.id != ident:
            faults.append(
                f"cells/cells.parquet: cell {ident} has other rules, agents or opening than its id"
            )
        elif ident in planned and cell_row(cell) not in map(cell_row, planned[ident]):
            faults.append(f"cells/cells.parquet: cell {ident} is not as the plan has it")
    for ident in cells.keys() - table.keys():
        faults.append(f"cells/cells.parquet: cell {ident} of the plan is missing")
    return table | cells


def _rows(folder: Path, faults: list[str]) -> list[Row]:
    """Return the rows of the manifest, and of shards in place that have none."""
    try:
        rows = read_manifest(folder)
    except UserError as error:
        faults.append(str(error))
        rows = []
    for path in unlisted(folder, rows):
        try:
            rows.append(adopted(path))
        except UserError as error:
            faults.append(str(error))
    return rows


def _strays(folder: Path, rows: Iterable[Row]) -> list[str]:
    """Name the Parquet files that any tool would take for the dataset's, and that are not."""
    known = {folder / "cells" / "cells.parquet", *(folder / "games").glob("*.parquet")}
    known |= {folder / row.statistics_file for row in rows}
    strays = sorted(set(folder.glob("*/*.parquet")) - known)
    return [f"{path.relative_to(folder)}: no file of the dataset: move it away" for path in strays]


def _missing(folder: Path, rows: Iterable[Row], plans: Sequence[Plan], faults: list[str]) -> int:
    """Return how many games the plans still lack, as far as is known; more than theirs are faults.

    By what a plan with `[stop]` is judged, the statistics, is verified by itself.
    """
    missing = 0
    there = [row for row in rows if (folder / row.file).is_file()]
    for plan in plans:
        try:
            schedule = Schedule(plan, folder, there).settled()
            missing += schedule.missing()
            if len(plans) == 1:
                schedule.check()
        except UserError as error:
            faults.append(str(error))
    return missing


def _shard_faults(row: Row, folder: Path, plans: list[Plan]) -> Iterable[str]:
    """Yield what is wrong with a shard as a whole."""
    path = folder / row.file
    if not path.is_file():
        yield "the file is missing"
        return
    if foreign := _foreign(row.shard, plans):
        yield f"a shard of another plan: {foreign}"
    if row.file != row.shard.file:
        yield "its name is not that of what it holds"
    try:
        if row.checksum:
            size = path.stat().st_size
            if size != row.size:
                yield f"the file has {size:,} bytes, the manifest says {row.size:,}"
            elif checksum(path) != row.checksum:
                yield "its bytes have changed: the checksum differs from the manifest's"
        if read_footer(path).footer != row.footer:
            yield "its footer tells of another shard than the manifest"
    except ValueError as error:
        yield str(error)
    except OSError as error:
        yield f"it cannot be read: {error.strerror}"


def _foreign(shard: Shard, plans: list[Plan]) -> str | None:
    """Say why a shard is of none of the plans, or return None."""
    if any(difference(shard, plan) is None for plan in plans):
        return None
    for span in shard.spans:  # merged shards may hold games of several plans
        part = Shard(shard.seed, shard.log, (span,))
        reasons = [difference(part, plan) for plan in plans]
        if all(reasons):
            return reasons[0]
    return None


def _game_faults(
    row: Row, folder: Path, cells: Mapping[str, Cell], sample: RefereeSample, heed: Heed
) -> list[str]:
    """Return what is wrong with a shard's games."""
    faults: list[str] = []
    spans: list[Span] = []
    tally = RowTally(row.shard)
    try:
        for ident, rows in read_pieces(folder / row.file):
            heed()
            if ident not in cells:
                return [*faults, f"it has games of cell {ident}, which is none of the dataset's"]
            faults += check_games(rows, cells[ident], row, sample, heed)
            spans.append(Span(ident, rows.column("game")[0].as_py(), rows.num_rows))
            tally.add(rows)
            del rows  # or it would be held while the next row group is read
    except UnreadableError as error:
        faults.append(f"it cannot be read: {error.reason}")
    else:
        if _merged(spans) != list(row.spans):
            faults.append("it does not hold the games that its row says")
    # What is wrong with games is told once: statistics of such games differ for that reason.
    return [*faults, *statistics_faults(row, folder, None if faults else tally.table())]


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Join spans that follow one another."""
    merged: list[Span] = []
    for span in spans:
        if merged and merged[-1].cell == span.cell and merged[-1].stop == span.first:
            merged[-1] = merged[-1]._replace(games=merged[-1].games + span.games)
        else:
            merged.append(span)
    return merged


def _doubles(rows: Iterable[Row]) -> list[str]:
    """Say which shards hold games that another holds too."""
    held: dict[int, Coverage] = {}
    faults = []
    for row in rows:
        have = held.setdefault(row.seed, Coverage())
        for span in row.spans:
            new = sum(part.games for part in have.missing(span))
            if new < span.games:
                faults.append(
                    f"{row.file}: {span.games - new:,} games of cell {span.cell} are in another"
                    " shard too"
                )
        have.add(row.spans)
    return faults
