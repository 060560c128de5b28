"""A sample of stored games for the referee, which needs a thousand times the kernel's time."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipelines.cells import Cell
from pipelines.manifest import Row
from sim.errors import UserError
from sim.referee import Game

MOVES = 40_000  # in all, and one game more
CELLS, GAMES = 1_000, 20  # at most so many cells, and games of each


class Pick(NamedTuple):
    """A stored game, the moves it has or should have, and its shard's file."""

    file: str
    cell: Cell
    row: dict[str, Any]
    moves: bytes


class RefereeSample:
    """The first games of each cell, as many as a budget of moves allows.

    Which games these are depends on the dataset alone: those of a cell come from the shard that
    holds its first game, and so from one thread. `games` and `cells` count what was refereed.
    """

    def __init__(self, shards: Iterable[Row]) -> None:
        self.games = self.cells = 0
        starts: dict[str, tuple[int, int, str]] = {}
        for row in shards:
            for span in row.spans:
                start = row.seed, span.first, row.file
                starts[span.cell] = min(start, starts.get(span.cell, start))
        chosen = sorted(starts)[:CELLS]
        self._files = {cell: starts[cell][2] for cell in chosen}
        self._picks: dict[str, list[Pick]] = {cell: [] for cell in chosen}
        self._each = MOVES // max(len(chosen), 1)

    def offer(
        self,
        file: str,
        cell: Cell,
        rows: pa.RecordBatch,
        moves: NDArray[np.uint8],
        offsets: NDArray[np.int64],
        sound: NDArray[np.bool_],
    ) -> None:
        """Take what the sample lacks from a shard's next games of a cell, the sound ones.

        `moves[offsets[i]:offsets[i + 1]]` are game i's.
        """
        if self._files.get(cell.id) != file:
            return
        picks = self._picks[cell.id]
        room = self._each - sum(len(pick.moves) for pick in picks)
        for index in np.flatnonzero(sound).tolist():
            if len(picks) == GAMES or (picks and room <= 0):
                return
            [row] = rows.slice(index, 1).to_pylist()
            picks.append(
                Pick(file, cell, row, moves[offsets[index] : offsets[index + 1]].tobytes())
            )
            room -= len(picks[-1].moves)

    def faults(self) -> Iterator[str]:
        """Have the referee play the sample; yield what it finds otherwise than it is stored.

        One game of each cell comes first, then the second of each, while the budget lasts.
        """
        order = sorted((n, cell) for cell, picks in self._picks.items() for n in range(len(picks)))
        spent = 0
        for number, ident in order:
            if spent >= MOVES:
                return
            pick = self._picks[ident][number]
            spent += len(pick.moves)
            self.games += 1
            self.cells += number == 0
            for what in _faults(pick):
                yield (
                    f"{pick.file}: game {pick.row['game']} of cell {ident} ({pick.cell.label}):"
                    f" {what}"
                )


def _faults(pick: Pick) -> Iterator[str]:
    game = Game(pick.cell.rules)
    try:
        for pit in pick.moves:
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
        if pick.row[name] != value:
            yield f"{name} is {pick.row[name]}, the referee says {value}"
