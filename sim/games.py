"""Games by the batch: the kernel behind plain functions and named arrays."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sim.kernel.buffers import Buffers, Notes
from sim.kernel.play import play_games
from sim.room import buffers
from sim.rules import Rules
from sim.tables import tables, words_of

NO_KEY = np.uint64(0)  # a replay draws nothing


def _no_worth() -> NDArray[np.float32]:
    return np.zeros(0, np.float32)


def _no_nodes() -> NDArray[np.int64]:
    return np.zeros(0, np.int64)


@dataclass(frozen=True)
class Games:
    """Finished games, numbers `first` … `first + count - 1`, and their rounds in the same order.

    n games, m rounds, p plies. A winner of -1 is a draw. A reason is a place
    in `sim.kernel.names.REASONS`.
    """

    first: int
    scores: NDArray[np.int16]  # (n, 2)
    winner: NDArray[np.int8]
    plies: NDArray[np.int32]
    turns: NDArray[np.int32]
    laps: NDArray[np.int64]
    reason: NDArray[np.int8]
    digest: NDArray[np.uint64]  # a hash of the moves: equal games have equal ones
    rounds: NDArray[np.int32]
    moves: NDArray[np.uint8]  # (p,) pits, all rounds of a game in a row
    move_offsets: NDArray[np.int64]  # (n + 1,)
    round_offsets: NDArray[np.int64]  # (n + 1,)
    round_first_player: NDArray[np.int8]  # (m,)
    round_scores: NDArray[np.int16]  # (m, 2) before refilling
    round_winner: NDArray[np.int8]
    round_plies: NDArray[np.int32]
    round_reason: NDArray[np.int8]
    round_burnt: NDArray[np.int8]  # (m, 2) pits of each player that were closed
    # (p,) what each choice was thought to be worth, and what was looked at for it; none of either
    # where the players note nothing.
    worth: NDArray[np.float32] = field(default_factory=_no_worth)
    nodes: NDArray[np.int64] = field(default_factory=_no_nodes)

    @property
    def count(self) -> int:
        """How many games there are."""
        return len(self.winner)


NOTED = {
    "round": np.int32, "ply": np.int32, "turn": np.int32, "player": np.int8, "lifted": np.int16,
    "laps": np.int32, "captured": np.int16, "gained": np.int16, "extra_turn": np.bool_,
    "legal_moves": np.int8, "store0": np.int16, "store1": np.int16,
}  # fmt: skip


@dataclass(frozen=True)
class MoveLog:
    """Every move of some games, flat in their order: one entry a ply, p in all.

    Plies and turns count from 1 through the whole game. `captured` has the capturing seed in it,
    `gained` is all that the mover's store gained by the move; `legal_moves` is how many pits
    there were to choose from; the stores are those after the move, before any collection.
    """

    round: NDArray[np.int32]
    ply: NDArray[np.int32]
    turn: NDArray[np.int32]
    player: NDArray[np.int8]
    pit: NDArray[np.int8]
    lifted: NDArray[np.int16]
    laps: NDArray[np.int32]
    captured: NDArray[np.int16]
    gained: NDArray[np.int16]
    extra_turn: NDArray[np.bool_]
    legal_moves: NDArray[np.int8]
    store0: NDArray[np.int16]
    store1: NDArray[np.int16]


def replay(
    rules: Rules, moves: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> tuple[Games, MoveLog, NDArray[np.int64]]:
    """Replay games from their moves: `moves[offsets[i]:offsets[i + 1]]` are game i's pits.

    Returns the games as they come out (a game that does not end has the reason -1), every move,
    and for each game the index of its first move that is not legal or comes after the end, -1
    where there is none; what is noted from there on in that game means nothing.
    """
    games, plies = len(offsets) - 1, int(offsets[-1])
    words = 2 * words_of(rules.board.pits)
    history = np.empty((int(np.diff(offsets).max(initial=0)) + 1) * words, np.uint64)
    notes = Notes(
        **{name: np.empty(plies, kind) for name, kind in NOTED.items()},
        bad=np.empty(games, np.int64),
    )
    room = plies
    while True:
        out = buffers(games, room, words)._replace(
            moves=np.ascontiguousarray(moves),
            move_offsets=np.ascontiguousarray(offsets),
            history=history,
        )
        if play_games(tables(rules), NO_KEY, 0, games, out, notes) == games:
            break
        room = 4 * room + 64  # more rounds than moves would let expect
    parts = notes._asdict()
    bad = parts.pop("bad")
    return trimmed(out, 0, games), MoveLog(pit=out.moves.astype(np.int8), **parts), bad


def trimmed(out: Buffers, first: int, games: int) -> Games:
    """Return the filled part of the buffers, copied: the buffers may be used again."""
    lengths = dict.fromkeys(("scores", "winner", "plies", "turns", "laps", "reason"), games)
    lengths |= {"digest": games, "rounds": games}
    lengths |= {"move_offsets": games + 1, "round_offsets": games + 1}
    lengths["moves"] = int(out.move_offsets[games])
    rounds = int(out.round_offsets[games])
    parts = {
        name: getattr(out, name)[: lengths.get(name, rounds)].copy()
        for name in out._fields
        if name != "history"
    }
    return Games(first=first, **parts)
