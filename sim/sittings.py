"""Games of any players, a move at a time: all that stand at a choice choose, then all move."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.agents import Agent
from sim.agents.random import RandomChooser
from sim.games import Games, replay
from sim.kernel.choose import draw_slips
from sim.kernel.names import GOING_ON
from sim.kernel.sitting import Sitting, move, seat
from sim.rules import Rules
from sim.tables import tables, words_of

MOVES, POSITIONS = 128, 64  # room for a game to begin with


@dataclass(frozen=True)
class Opening:
    """The first plies of games, drawn from a key of their own: games of other players share it."""

    plies: int = 0
    key: int = 0


NO_OPENING = Opening()
Choosing = tuple[Callable[[Sitting, NDArray[np.int64]], None], NDArray[np.int64]]


def play_seated(
    rules: Rules,
    agents: tuple[Agent, Agent],
    key: int,
    first: int,
    count: int,
    opening: Opening = NO_OPENING,
    heed: Callable[[], None] = lambda: None,
) -> Games:
    """Play games `first` … of any players, at most `count` of them.

    `heed` is called between moves; what it raises ends the sitting. See `sim.playing.play`.
    """
    count = min(count, *(agent.games_at_once for agent in agents))
    table = Table(rules, agents, key, first, count, opening)
    worths, nodes = [], []
    while len(games := table.going()):
        heed()
        table.choose(games)
        worths.append((games, table.sitting.worth[games]))
        nodes.append(table.sitting.nodes[games])
        table.move(games)
    moves, offsets = table.played()
    again, _, bad = replay(rules, moves, offsets)
    if (bad >= 0).any() or (again.reason < 0).any():
        raise RuntimeError(f"{agents[0].text} or {agents[1].text} made an illegal move")
    worth, looked = np.empty(len(moves), np.float32), np.empty(len(moves), np.int64)
    place = offsets[:-1].copy()
    for (games, values), counts in zip(worths, nodes, strict=True):
        worth[place[games]], looked[place[games]] = values, counts
        place[games] += 1
    return replace(again, first=first, worth=worth, nodes=looked)


class Table:
    """A sitting, its players at work, and memory that grows with its games."""

    def __init__(
        self,
        rules: Rules,
        agents: tuple[Agent, Agent],
        key: int,
        first: int,
        count: int,
        opening: Opening = NO_OPENING,
    ) -> None:
        self.tables = tables(rules)
        self.sitting = _vacant(count, 2 * words_of(rules.board.pits))
        self._opening = opening.plies
        self._random = RandomChooser(self.tables)
        self._eps = [agent.eps for agent in agents]
        self._choosers = [agent.chooser(rules) for agent in agents]
        seat(self.tables, self.sitting, np.uint64(key), np.uint64(opening.key), first)

    def going(self) -> NDArray[np.int64]:
        """Return the games that are not over."""
        return np.flatnonzero(self.sitting.reason == GOING_ON)

    def choose(self, games: NDArray[np.int64]) -> None:
        """Have the player to move choose in each of some games."""
        s = self.sitting
        opens = s.made[games] < self._opening
        if opens.any():
            self._random.choose(s._replace(stream=s.opening), games[opens])
            games = games[~opens]
        for player in range(2):
            mine = games[s.player[games] == player]
            for choose, part in self._by_slips(player, mine):
                if len(part):
                    choose(s, part)

    def _by_slips(self, player: int, games: NDArray[np.int64]) -> Iterator[Choosing]:
        """Yield who chooses in which games: a player with `eps` may slip and move at random."""
        choose = self._choosers[player].choose
        if self._eps[player]:
            slips = np.zeros(len(games), np.bool_)
            draw_slips(self.sitting, games, self._eps[player], slips)
            yield self._random.choose, games[slips]
            games = games[~slips]
        yield choose, games

    def move(self, games: NDArray[np.int64]) -> None:
        """Make the chosen moves."""
        if move(self.tables, self.sitting, games):
            self.sitting = _grown(self.sitting)

    def played(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return the moves of all games, one game behind the other, and their offsets, (n + 1,)."""
        s = self.sitting
        offsets = np.concatenate([[0], np.cumsum(s.made)])
        made = np.arange(s.moves.shape[1]) < s.made[:, None]
        return s.moves[made], offsets


def _vacant(n: int, words: int) -> Sitting:
    def number(kind: Any) -> NDArray[Any]:
        return np.empty(n, kind)

    signed, unsigned = partial(number, np.int64), partial(number, np.uint64)
    return Sitting(
        rows=np.empty(n * words, np.uint64),
        layouts=np.empty((n, 2), np.uint64),
        legal=unsigned(),
        player=signed(),
        stream=unsigned(),
        opening=unsigned(),
        plies=signed(),
        made=signed(),
        rounds=signed(),
        began=signed(),
        closed=np.empty((n, 2), np.int64),
        seen=unsigned(),
        bloom=unsigned(),
        reason=signed(),
        moves=np.empty((n, MOVES), np.uint8),
        history=np.empty(n * POSITIONS * words, np.uint64),
        pit=unsigned(),
        worth=np.empty(n, np.float32),
        nodes=signed(),
    )


def _grown(s: Sitting) -> Sitting:
    """Return the sitting with twice the room for moves and positions."""
    n = len(s.player)
    moves = np.concatenate([s.moves, np.empty_like(s.moves)], axis=1)
    history = s.history.reshape(n, -1)
    history = np.concatenate([history, np.empty_like(history)], axis=1)
    return s._replace(moves=moves, history=history.reshape(-1))
