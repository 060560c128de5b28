"""The games of a cell: what its rules, players, opening and a seed make of a game's number."""

from collections.abc import Callable, Iterable

from pipelines.cells import Cell, meaning_text
from sim.games import Games
from sim.playing import game_key, play
from sim.sittings import NO_OPENING, Opening
from sim.warming import warm_play


class CellGames:
    """Plays the games of a cell from a seed, any of them and as often as asked.

    Whatever plays a cell goes through here, so that a game is always the same one.
    """

    def __init__(self, cell: Cell, seed: int) -> None:
        self.rules = cell.rules
        self.logs_rounds = not self.rules.plain_round
        self._agents = cell.agents
        self._key = game_key(seed, cell.id)
        self._opening = NO_OPENING
        if cell.opening_plies:
            # Not the cell's key: games of equal numbers begin alike, whoever plays them.
            key = game_key(seed, f"opening {meaning_text(self.rules)}")
            self._opening = Opening(cell.opening_plies, key)

    def play(self, first: int, count: int, heed: Callable[[], None] = lambda: None) -> Games:
        """Play games `first` …, at least one and at most `count`; see `sim.playing.play`."""
        return play(self.rules, self._agents, self._key, first, count, self._opening, heed)


def warm_cells(
    cells: Iterable[Cell], tell: Callable[[str], None], *, packing: bool = False
) -> None:
    """Compile what playing these cells needs, or load it; see `sim.warming.warm_play`."""
    # Of very many cells few differ in that; rules are slow to build.
    kinds = {(cell.pits, cell.agents, cell.opening_plies): cell for cell in cells}
    games = ((cell.rules, cell.agents, Opening(cell.opening_plies)) for cell in kinds.values())
    warm_play(games, tell, packing=packing)
