"""Small datasets made to measure: played by the kernel, or of games given row by row."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from pipelines.cell_table import write_cells
from pipelines.cells import Cell, make_cell
from pipelines.dataset import Dataset
from pipelines.manifest import append
from pipelines.packed_rounds import PACKED
from pipelines.play import Job, PlayShards
from pipelines.schema import GAMES
from pipelines.shards import Shard, Span
from pipelines.writer import write_shard
from sim.agents import parse_agent
from sim.kernel.names import REASONS
from sim.presets import load_variant

Row = Mapping[str, Any]


def packed(pits: Iterable[int]) -> bytes:
    """Return moves as they are logged: hexadecimal digits, an f behind an odd number of them."""
    digits = "".join(f"{pit:x}" for pit in pits)
    return bytes.fromhex(digits + "f" * (len(digits) % 2))


def unpacked(moves: bytes) -> list[int]:
    """Undo `packed`."""
    return [int(digit, 16) for digit in moves.hex().removesuffix("f")]


def packed_rounds(rounds: list[Row]) -> bytes:
    """Return a match's rounds as they are logged."""
    records = [
        tuple(
            REASONS.index(value) if name == "reason" else -1 if value is None else value
            for name, value in ((name, round_[name]) for name in PACKED.names)
        )
        for round_ in rounds
    ]
    return np.array(records, PACKED).tobytes()


GAME = {
    "seed": 0, "rounds": 1, "score0": 25, "score1": 23, "winner": 0, "plies": 3, "turns": 3,
    "laps": 3, "reason": "side-empty", "digest": 1,
    "packed_moves": packed([2, 3, 0]), "packed_rounds": None,
}  # fmt: skip
"""What a game is where a row does not say otherwise."""


def cell(
    variant: str = "kalah",
    agents: tuple[str, str] = ("random", "random"),
    opening_plies: int = 0,
    **keys: Any,
) -> Cell:
    """Return a cell; a rule key is given with `_`, as in `board_pits=5`."""
    names = {name.replace("_", ".", 1): value for name, value in keys.items()}
    rules = load_variant(variant, names).rules
    seats = parse_agent(agents[0]), parse_agent(agents[1])
    return make_cell(variant, rules, seats, opening_plies)


def played(
    folder: Path, cells: Iterable[Cell], games: range, *, seed: int = 0, log: str = "moves"
) -> Path:
    """Play games of each cell into a new shard of a dataset, made where there is none."""
    cells = sorted(cells, key=lambda cell: cell.id)
    shard = Shard(seed, log, tuple(Span(cell.id, games.start, len(games)) for cell in cells))
    _prepare(folder, cells)
    job = Job(shard, tuple(cells))
    append(folder, PlayShards(folder)(job, lambda _: None, lambda: None))
    return folder


def given(folder: Path, *games: tuple[Cell, list[Row]], log: str = "moves") -> Path:
    """Write a dataset of cells and their games, numbered from 0 in each, as one shard."""
    by_cell = sorted(games, key=lambda pair: pair[0].id)
    _prepare(folder, [cell for cell, _ in by_cell])
    rows = [
        {**GAME, "cell": cell.id, "game": number, "pair": number, **row}
        for cell, given in by_cell
        for number, row in enumerate(given)
    ]
    if rows:
        spans = tuple(Span(cell.id, 0, len(given)) for cell, given in by_cell if given)
        batch = pa.RecordBatch.from_pylist(rows, GAMES)
        append(folder, write_shard(Shard(0, log, spans), folder, [batch]))
    return folder


def _prepare(folder: Path, cells: list[Cell]) -> Dataset:
    (folder / "games").mkdir(parents=True, exist_ok=True)
    (folder / "plan.toml").write_text("# made by a test\n")
    write_cells(folder, cells)
    return Dataset(folder, [])
