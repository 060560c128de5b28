"""Checks stored games: by replaying them in the kernel, and a sample of them by the referee."""

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from pipelines.cells import Cell
from pipelines.manifest import Row
from pipelines.reading import move_arrays
from pipelines.schema import game_rows
from sim.errors import UserError
from sim.games import replay
from sim.referee import Game

FIGURES = (
    "rounds", "score0", "score1", "winner", "plies", "turns", "laps", "reason", "digest",
    "round_log",
)  # fmt: skip


class RefereeSample:
    """Takes games of each cell for the referee, which needs a thousand times the kernel's time."""

    GAMES, MOVES = 20, 40_000  # at most so many games a cell, and moves in all

    def __init__(self, cells: Mapping[str, Cell]) -> None:
        self.games = 0
        self._each = self.MOVES // max(len(cells), 1)
        self._games: Counter[str] = Counter()
        self._moves: Counter[str] = Counter()
        self._lock = threading.Lock()

    def take(self, cell: str, moves: int) -> bool:
        """Say whether to replay a game of so many moves; if so, it counts as replayed."""
        with self._lock:
            if self._games[cell] == self.GAMES or self._moves[cell] + moves > self._each:
                return False
            self._games[cell] += 1
            self._moves[cell] += moves
            self.games += 1
            return True


def check_games(
    rows: pa.RecordBatch, cell: Cell, shard: Row, sample: RefereeSample
) -> Iterator[str]:
    """Yield what is wrong with games of one cell, each game named by its number."""
    first = rows.column("game")[0].as_py()
    numbers = np.arange(first, first + rows.num_rows)
    for name, wanted in (("game", numbers), ("pair", numbers), ("seed", shard.seed)):
        if wrong := np.flatnonzero(rows.column(name).to_numpy() != wanted).tolist():
            yield f"row {wrong[0]} from game {first} on has the wrong {name}"
            return
    if shard.log != "moves":
        return
    if rows.column("move_list").null_count:
        yield f"from game {first} on, moves are missing"
        return
    rules = cell.rules
    moves, offsets = move_arrays(rows)
    games, _, bad = replay(rules, moves, offsets)
    for index in np.flatnonzero((bad >= 0) | (games.reason < 0)).tolist():
        what = f"ply {bad[index] + 1} is illegal" if bad[index] >= 0 else "its moves do not end it"
        yield f"game {first + index} of cell {cell.id} ({cell.label}): {what}"
    ended = np.maximum(games.reason, 0)  # those that do not end are told of above
    replayed = game_rows(
        replace(games, first=first, reason=ended),
        cell.id,
        shard.seed,
        moves=False,
        rounds=not rules.plain_round,
    )
    faulty = _differing(rows, replayed)
    for index, name, stored, found in faulty:
        if bad[index] < 0 <= games.reason[index]:
            yield (
                f"game {first + index} of cell {cell.id} ({cell.label}): {name} is {stored},"
                f" its moves give {found}"
            )
    for index, plies in enumerate(np.diff(offsets).tolist()):
        if not sample.take(cell.id, plies):
            break
        if bad[index] < 0 <= games.reason[index]:
            [game] = rows.slice(index, 1).to_pylist()
            for what in _referee_faults(cell, game):
                yield f"game {first + index} of cell {cell.id} ({cell.label}): {what}"


def _differing(
    rows: pa.RecordBatch, replayed: pa.RecordBatch
) -> Iterator[tuple[int, str, Any, Any]]:
    """Yield each figure that differs: the row's index, its name, as stored, as replayed."""
    for name in FIGURES:
        stored, found = rows.column(name), replayed.column(name)
        if stored.equals(found):
            continue
        pairs = zip(stored.to_pylist(), found.to_pylist(), strict=True)
        for index, (have, want) in enumerate(pairs):
            if have != want:
                yield index, name, have, want


def _referee_faults(cell: Cell, row: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the referee, replaying a stored game, finds otherwise than it is stored."""
    game = Game(cell.rules)
    try:
        for pit in row["move_list"]:
            game.move(pit)
    except UserError as error:
        yield f"the referee stops it: {error}"
        return
    found = {
        "rounds": len(game.rounds),
        "score0": game.score[0],
        "score1": game.score[1],
        "winner": game.winner,
        "plies": len(game.moves),
        "turns": game.moves[-1].turn if game.moves else 0,
        "laps": sum(move.laps for move in game.moves),
        "reason": game.reason,
    }
    for name, value in found.items():
        if row[name] != value:
            yield f"{name} is {row[name]}, the referee says {value}"
