"""Checks stored games: replayed from their moves by the kernel, or played anew without moves."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from pipelines.cell_games import CellGames
from pipelines.cells import Cell
from pipelines.logs import SEARCH, WITH_MOVES
from pipelines.manifest import Row
from pipelines.packed_search import COLUMNS, fits
from pipelines.reading import move_arrays
from pipelines.sample import RefereeSample
from pipelines.schema import GAMES, SEARCHED, game_rows
from sim.games import Games, replay

FIGURES = tuple(
    name for name in GAMES.names if name not in ("cell", "game", "seed", "pair", "packed_moves")
)
"""The columns that the moves of a game give."""

NOTED = {field.name for field in COLUMNS}


def check_games(
    rows: pa.RecordBatch, cell: Cell, shard: Row, sample: RefereeSample, heed: Callable[[], None]
) -> Iterator[str]:
    """Yield what is wrong with games of one cell, each game named by its number.

    Those that are sound are offered to the referee's sample. `heed` is called now and then; what it
    raises ends the checks.
    """
    first = rows.column("game")[0].as_py()
    numbers = first + np.arange(rows.num_rows)
    for name, wanted in (("game", numbers), ("pair", numbers), ("seed", shard.seed)):
        if wrong := np.flatnonzero(rows.column(name).to_numpy() != wanted).tolist():
            yield f"row {wrong[0]} from game {first} on has the wrong {name}"
            return
    if amiss := _wrong_search(rows, shard):
        yield f"from game {first} on, {amiss}"
        return
    bare = rows.column("packed_moves").null_count
    if shard.log in WITH_MOVES:
        if bare:
            yield f"from game {first} on, moves are missing"
            return
        yield from _check_replayed(rows, cell, shard, sample)
    else:
        if bare < rows.num_rows:
            yield f"from game {first} on, there are moves, though the shard logs none"
            return
        yield from _check_anew(rows, cell, shard, sample, heed)


def _wrong_search(rows: pa.RecordBatch, shard: Row) -> str:
    """Say what is wrong with what players noted: it can be held against the moves' number alone."""
    if shard.log == SEARCH:
        if rows.schema.names != SEARCHED.names:
            return "what players noted is missing, though the shard logs it"
        if not fits(rows, rows.column("plies").to_numpy()).all():
            return "what players noted is not an entry a move"
    elif any(rows.column(name).null_count < rows.num_rows for name in NOTED & {*rows.schema.names}):
        return "there is what players noted, though the shard logs none"
    return ""


def _check_replayed(
    rows: pa.RecordBatch, cell: Cell, shard: Row, sample: RefereeSample
) -> Iterator[str]:
    """Check games against their moves."""
    moves, offsets = move_arrays(rows)
    games, _, bad = replay(cell.rules, moves, offsets)
    sound = (bad < 0) & (games.reason >= 0)
    for index in np.flatnonzero(~sound).tolist():
        what = f"ply {bad[index] + 1} is illegal" if bad[index] >= 0 else "its moves do not end it"
        yield f"{_name(rows, index, cell)}: {what}"
    ended = replace(games, reason=np.maximum(games.reason, 0))  # the others are told of above
    for index, name, stored, found in _differing(rows, ended, cell):
        if sound[index]:
            yield f"{_name(rows, index, cell)}: {name} is {stored}, its moves give {found}"
    sample.offer(shard.file, cell, rows, moves, offsets, sound)


def _check_anew(
    rows: pa.RecordBatch, cell: Cell, shard: Row, sample: RefereeSample, heed: Callable[[], None]
) -> Iterator[str]:
    """Check games without moves: their seed, cell and number fix them."""
    first, played = rows.column("game")[0].as_py(), CellGames(cell, shard.seed)
    done = 0
    while done < rows.num_rows:
        games = played.play(first + done, rows.num_rows - done, heed)
        part = rows.slice(done, games.count)
        for index, name, stored, found in _differing(part, games, cell):
            yield f"{_name(part, index, cell)}: {name} is {stored}, played anew it is {found}"
        all_sound = np.ones(games.count, np.bool_)
        sample.offer(shard.file, cell, part, games.moves, games.move_offsets, all_sound)
        done += games.count


def _name(rows: pa.RecordBatch, index: int, cell: Cell) -> str:
    return f"game {rows.column('game')[index].as_py()} of cell {cell.id} ({cell.label})"


def _differing(
    rows: pa.RecordBatch, games: Games, cell: Cell
) -> Iterator[tuple[int, str, Any, Any]]:
    """Yield each figure that differs: the row's index, its name, as stored, as the games have."""
    wanted = game_rows(games, cell.id, 0, log="games", rounds=not cell.rules.plain_round)
    for name in FIGURES:
        stored, found = rows.column(name), wanted.column(name)
        if stored.equals(found):
            continue
        pairs = zip(stored.to_pylist(), found.to_pylist(), strict=True)
        for index, (have, want) in enumerate(pairs):
            if have != want:
                yield index, name, have, want
