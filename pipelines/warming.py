"""Gets the kernel ready before threads would do so side by side."""

from collections.abc import Iterable

import numpy as np

from pipelines.cells import Cell
from sim.games import replay
from sim.tables import words_of


def warm_replay(cells: Iterable[Cell]) -> None:
    """Compile what replaying games of these cells needs, or load it."""
    for cell in {words_of(cell.pits): cell for cell in cells}.values():
        replay(cell.rules, np.zeros(0, np.uint8), np.zeros(1, np.int64))  # no game at all
