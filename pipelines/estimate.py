"""Estimates what a run will take, from a few games of its cells that are played and dropped."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean, median
from time import perf_counter
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.cell_games import CellGames, warm_cells
from pipelines.cells import Cell, make_cell
from pipelines.executors import Stopped
from pipelines.logs import SEARCH, Log
from pipelines.plan import Plan
from pipelines.schema import PARQUET, game_rows, schema_of
from pipelines.shards import FEWEST, GAME_SECONDS, weight_of
from sim.agents.own import Own
from sim.agents.random import Random
from sim.games import Games

GROUPS = 12  # into which cells are parted
MOST, FEW = 48, 3  # cells of which games are played: in all, and in a group of slow players
SLOW = 100  # the weight from which players are slow
SAMPLE = 8192  # games of random players that are played of a cell, fewer where these are long
ENOUGH, PATIENCE = 0.03, 0.5  # seconds for the games of a cell's own players, at least and at most
DIGESTS, DIGEST_BYTES, SPAN_BYTES = 4096, 8, 1500  # of statistics: see `pipelines.tallies`
SEARCH_BYTES = 5  # a move, where players log what they searched, about


@dataclass(frozen=True)
class Estimate:
    """Seconds on one processor and bytes on the disk, about, from games of `cells` cells."""

    cpu_seconds: float
    size: int
    cells: int


def estimate(plan: Plan, games: Mapping[str, int], tell: Callable[[str], None]) -> Estimate:
    """Estimate what so many games of each of a plan's cells take on this machine.

    `tell` is told before something has to be compiled.
    """
    cells = {cell.id: cell for cell in plan.shared}
    parts = _groups([cells[ident] for ident, count in games.items() if count])
    groups = [(group, _chosen(group, MOST // max(len(parts), 1))) for group in parts]
    some = [cell for _, chosen in groups for cell in chosen]
    warm_cells([*some, *map(_random, some)], tell)
    seconds, size = 0.0, 0.0
    for group, chosen in groups:
        starts, each, sizes = zip(*(_measure(cell, plan) for cell in chosen), strict=True)
        whole = sum(games[cell.id] for cell in group)
        seconds += median(starts) * len(group) + fmean(each) * whole
        size += fmean(sizes) * whole
    size += sum(SPAN_BYTES + DIGEST_BYTES * min(n, DIGESTS) for n in games.values())
    return Estimate(seconds, int(size), len(some))


def _groups(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Return cells in groups, `GROUPS` at most, by who plays: these take about as long a game."""
    groups: dict[Any, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(tuple(agent.text for agent in cell.agents), []).append(cell)
    ordered = sorted(groups.values(), key=lambda group: weight_of(group[0]))
    if len(ordered) <= GROUPS:
        return ordered
    each = -(-len(ordered) // GROUPS)
    return [
        list(chain.from_iterable(ordered[at : at + each])) for at in range(0, len(ordered), each)
    ]


def _chosen(group: Sequence[Cell], most: int) -> Sequence[Cell]:
    """Return some of a group's cells, evenly from its beginning to its end."""
    number = FEW if any(weight_of(cell) >= SLOW for cell in group) else most
    return group[:: -(-len(group) // number)]


def _measure(cell: Cell, plan: Plan) -> tuple[float, float, float]:
    """Return the seconds to begin with a cell, and those and the bytes that a game takes, about."""
    begin = perf_counter()
    plain = CellGames(_random(cell), plan.seed)
    _stored(plain.play(0, 1), cell, plan, plain.logs_rounds)
    start = perf_counter()
    games = plain.play(0, SAMPLE)
    size = _stored(games, cell, plan, plain.logs_rounds)
    seconds = (perf_counter() - start) / games.count
    plies = float(games.plies.mean())
    if plan.log == SEARCH:
        size += SEARCH_BYTES * plies
    if weight_of(cell) > 1:
        seconds += _thinking(cell, plan.seed, plies)
    return start - begin, seconds, size


def _stored(games: Games, cell: Cell, plan: Plan, rounds: bool) -> float:
    """Return the bytes that a game's row takes in a file, without its search."""
    if plan.log == "none":
        return 0.0
    log: Log = "moves" if plan.log == SEARCH else plan.log
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, schema_of(log), **PARQUET) as file:
        file.write_batch(game_rows(games, cell.id, plan.seed, log=log, rounds=rounds))
    group = pq.ParquetFile(pa.BufferReader(sink.getvalue())).metadata.row_group(0)
    sizes = (group.column(i).total_compressed_size for i in range(group.num_columns))
    return float(sum(sizes)) / games.count


def _thinking(cell: Cell, seed: int, plies: float) -> float:
    """Return the seconds that a game of players that think takes, from its first moves."""
    step = weight_of(cell) * GAME_SECONDS * FEWEST / plies
    if step > PATIENCE:  # one move of the games at once would take too long
        return step * plies / FEWEST
    # What a player of the user's takes is not known: one game at first, which is left in time.
    own = any(isinstance(agent, Own) for agent in cell.agents)
    mine, count, steps = CellGames(cell, seed), 1 if own else FEWEST, 0
    start = perf_counter()

    def heed() -> None:
        nonlocal steps
        steps += 1
        if perf_counter() - start > PATIENCE:
            raise Stopped

    while True:
        start, steps = perf_counter(), 0
        try:
            games = mine.play(0, count, heed)
        except Stopped:
            return (perf_counter() - start) / steps * plies / count
        seconds = perf_counter() - start
        if seconds > ENOUGH or games.count < count or count >= SAMPLE:
            return seconds / games.count
        count *= 4  # a few games take as long to begin and to end as to play


def _random(cell: Cell) -> Cell:
    """Return the same rules with players that do not think."""
    return make_cell(cell.variant, cell.rules, (Random(), Random()))
