"""How a dataset stands, cell by cell: the games so far and what they say of the first player."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from pipelines.cells import Cell
from pipelines.manifest import Row
from pipelines.sequences import share_sequence
from pipelines.statistics import statistics_at_hand


class Share(NamedTuple):
    """Wins, draws and losses of the first player, the share of the points, and its interval.

    The interval is a confidence sequence's, as one may look at it at any time; without games it
    is all from 0 to 1, and the share is None.
    """

    wins: int
    draws: int
    losses: int
    share: float | None
    low: float
    high: float

    @property
    def words(self) -> str:
        """The share and its interval, if there is one."""
        if self.share is None:
            return ""
        return f"{self.share:.4f} ({self.low:.4f} – {self.high:.4f})"


class Standing:
    """Counts the outcomes of committed games of a seed, cell by cell."""

    def __init__(self, seed: int, folder: Path, rows: Iterable[Row]) -> None:
        self._seed, self._folder = seed, folder
        self._counts: dict[str, tuple[int, int, int]] = {}
        self.latest: list[str] = []
        """The cells of the shard that was added last."""
        for row in rows:
            self.add(row)

    def add(self, row: Row) -> None:
        """Count a committed shard; one of another seed does not count."""
        if row.seed != self._seed:
            return
        table = statistics_at_hand(row, self._folder, ["cell", "games", "wins0", "draws"])
        columns = (table[name].to_pylist() for name in ("cell", "games", "wins0", "draws"))
        for cell, games, wins, draws in zip(*columns, strict=True):
            won, drawn, lost = self._counts.get(cell, (0, 0, 0))
            self._counts[cell] = won + wins, drawn + draws, lost + games - wins - draws
        self.latest = list(dict.fromkeys(span.cell for span in row.spans))

    def games(self, cell: str) -> int:
        """Return how many games of a cell there are."""
        return sum(self._counts.get(cell, ()))

    def shares(self, cells: Sequence[str]) -> list[Share]:
        """Return the share of each cell."""
        counts = [self._counts.get(cell, (0, 0, 0)) for cell in cells]
        ends = share_sequence(*zip(*counts, strict=True)) if counts else ()
        return [
            Share(won, drawn, lost, _share(won, drawn, lost), low, high)
            for (won, drawn, lost), low, high in zip(
                counts, *(end.tolist() for end in ends), strict=True
            )
        ]

    def line(self, cell: Cell, planned: int) -> str:
        """Say of a cell in a line how it stands."""
        [share] = self.shares([cell.id])
        games = f"{self.games(cell.id):,} of {planned:,}"
        return "  ".join(filter(None, [games, share.words, cell.label]))  # the last may be cut


def _share(won: int, drawn: int, lost: int) -> float | None:
    games = won + drawn + lost
    return (won + drawn / 2) / games if games else None
