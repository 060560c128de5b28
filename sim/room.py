"""Memory for batches of games."""

import threading

import numpy as np

from sim.kernel.buffers import Buffers
from sim.kernel.care import DESK, NOTE, SLACK, Work
from sim.kernel.rounds import FILTER_SLOTS
from sim.kernel.state import FIELDS, LANES

MOVES_PER_BATCH = 1 << 20  # so that a batch's moves stay in a core's cache and memory stays flat
GAMES_PER_BATCH = 1 << 13


def buffers(games: int, moves: int, words: int) -> Buffers:
    """Return room for so many games, and for so many moves and at most as many rounds.

    `words` are those of a position, two or four.
    """
    rounds = games + moves // 64
    return Buffers(
        scores=np.empty((games, 2), np.int16),
        winner=np.empty(games, np.int8),
        plies=np.empty(games, np.int32),
        turns=np.empty(games, np.int32),
        laps=np.empty(games, np.int64),
        reason=np.empty(games, np.int8),
        digest=np.empty(games, np.uint64),
        rounds=np.empty(games, np.int32),
        moves=np.empty(moves, np.uint8),
        move_offsets=np.empty(games + 1, np.int64),
        round_offsets=np.empty(games + 1, np.int64),
        round_first_player=np.empty(rounds, np.int8),
        round_scores=np.empty((rounds, 2), np.int16),
        round_winner=np.empty(rounds, np.int8),
        round_plies=np.empty(rounds, np.int32),
        round_reason=np.empty(rounds, np.int8),
        round_burnt=np.empty((rounds, 2), np.int8),
        history=np.empty(moves // 64 * words, np.uint64),
    )


class Rooms(threading.local):
    """A thread's room for playing, kept: new pages for each batch cost a third of playing.

    What a batch leaves in it is overwritten by the thread's next one.
    """

    size: tuple[int, int] | None = None

    def of(self, moves: int, words: int) -> tuple[Buffers, Work]:
        """Return room for a batch of so many moves; a position takes so many words."""
        if self.size != (moves, words):
            self.size = (moves, words)
            # A lane's parts do not begin at the same place in a page: they would share cache sets.
            part, positions = moves // LANES + int(SLACK), moves // LANES // 8 + 8
            self.out = buffers(GAMES_PER_BATCH, moves, words)
            self.work = Work(
                state=np.empty(FIELDS * LANES, np.uint64),
                desk=np.empty((LANES, DESK), np.int64),
                moves=np.empty(LANES * part, np.uint8),
                history=np.empty(LANES * positions * words, np.uint64),
                filters=np.empty(LANES * FILTER_SLOTS, np.uint64),
                ended=np.empty((len(self.out.round_plies), NOTE), np.int64),
                counts=np.empty(4, np.int64),
            )
        return self.out, self.work


ROOMS = Rooms()
