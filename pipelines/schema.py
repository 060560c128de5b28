"""The Parquet schema of a dataset, and the kernel's arrays as its columns."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipelines.logs import SEARCH, WITH_MOVES
from pipelines.packed_rounds import bytes_of, pack_rounds, rounds_of
from pipelines.packed_search import COLUMNS, pack_search
from sim.kernel.names import REASONS
from sim.packing import unpack

if TYPE_CHECKING:  # it loads the compiler, which whoever reads rows does not need
    from sim.games import Games

REASON = pa.dictionary(pa.int8(), pa.string())

GAMES = pa.schema(
    [
        pa.field("cell", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("game", pa.int64(), nullable=False),
        pa.field("seed", pa.int64(), nullable=False),
        pa.field("pair", pa.int64(), nullable=False),
        pa.field("rounds", pa.int32(), nullable=False),
        pa.field("score0", pa.int16(), nullable=False),
        pa.field("score1", pa.int16(), nullable=False),
        pa.field("winner", pa.int8()),
        pa.field("plies", pa.int32(), nullable=False),
        pa.field("turns", pa.int32(), nullable=False),
        pa.field("laps", pa.int64(), nullable=False),
        pa.field("reason", REASON, nullable=False),
        pa.field("digest", pa.uint64(), nullable=False),
        pa.field("packed_moves", pa.binary()),
        pa.field("packed_rounds", pa.binary()),
    ]
)
"""One row a game. `winner` is null for a draw. `packed_moves` holds the pits of all rounds, two to
a byte (`sim.packing`), null where moves are not logged; `packed_rounds`, the rounds of a match
(`pipelines.packed_rounds`), is null where a game is one round that player 0 begins."""

SEARCHED = pa.schema([*GAMES, *COLUMNS])
"""The same, and what players noted (`pipelines.packed_search`), null where it was not logged: the
rows of a dataset that logs searches of any games. A dataset's files have one schema."""

PARQUET: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 1,
    # Few different values: a dictionary. Game numbers: their differences. Digests: as they are.
    "use_dictionary": [
        *("cell", "seed", "rounds", "score0", "score1", "winner", "plies", "turns", "laps"),
        "reason",
    ],
    "column_encoding": {"game": "DELTA_BINARY_PACKED", "pair": "DELTA_BINARY_PACKED"},
    # Of use where rows are sorted, or filtered by a figure that is rare; moves have neither.
    "write_statistics": [
        *("cell", "game", "seed", "pair", "rounds", "score0", "score1", "winner", "plies"),
        *("turns", "laps", "reason"),
    ],
    "write_batch_size": 1 << 14,
}
"""How a shard is written. With Kalah's 44 moves a game, on a busy 2 GHz processor, 20 to 27 million
moves a CPU-second and 5.3 bits a move, all columns included; the defaults give 16 and 6.9."""

_REASONS = pa.array(REASONS)


def schema_of(log: str) -> pa.Schema:
    """Return the schema of rows that are logged so."""
    return SEARCHED if log == SEARCH else GAMES


def game_rows(games: "Games", cell: str, seed: int, *, log: str, rounds: bool) -> pa.RecordBatch:
    """Return games of a cell as rows of `schema_of(log)`; the large arrays are not copied.

    `rounds` says whether `packed_rounds` is kept: without it a game is one round that player 0
    begins.
    """
    n = games.count
    numbers = _array(np.arange(games.first, games.first + n, dtype=np.int64))
    columns: dict[str, pa.Array[Any]] = {
        "cell": pa.DictionaryArray.from_arrays(_array(np.zeros(n, np.int32)), pa.repeat(cell, 1)),
        "game": numbers,
        "seed": _array(np.full(n, seed, np.int64)),
        "pair": numbers,
        "rounds": _array(games.rounds),
        "score0": _array(games.scores[:, 0]),
        "score1": _array(games.scores[:, 1]),
        "winner": _winner(games.winner),
        "plies": _array(games.plies),
        "turns": _array(games.turns),
        "laps": _array(games.laps),
        "reason": _reason(games.reason),
        "digest": _array(games.digest),
        "packed_moves": _packed_moves(games) if log in WITH_MOVES else pa.nulls(n, pa.binary()),
        "packed_rounds": pack_rounds(games) if rounds else pa.nulls(n, pa.binary()),
    }
    arrays = [*columns.values(), *(pack_search(games) if log == SEARCH else ())]
    return pa.RecordBatch.from_arrays(arrays, schema=schema_of(log))


def widened(rows: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return rows with the columns that a schema has more than they do, null."""
    more = [pa.nulls(rows.num_rows, field.type) for field in list(schema)[rows.num_columns :]]
    return pa.RecordBatch.from_arrays([*rows.columns, *more], schema=schema)


def games_of_rows(rows: pa.RecordBatch) -> "Games":
    """Return rows of one cell as the games that `game_rows` made them of, but for their moves."""
    from sim.games import Games

    def column(name: str) -> Any:
        return rows.column(name).to_numpy()

    rounds, offsets = rounds_of(rows.column("packed_rounds"))
    return Games(
        first=rows.column("game")[0].as_py(),
        scores=np.stack([column("score0"), column("score1")], axis=1),
        winner=_winners(rows.column("winner")),
        **{name: column(name) for name in ("plies", "turns", "laps", "digest", "rounds")},
        reason=_places(rows.column("reason")),
        moves=np.zeros(0, np.uint8),
        move_offsets=np.zeros(rows.num_rows + 1, np.int64),
        round_offsets=offsets,
        round_first_player=rounds["first_player"],
        round_scores=np.stack([rounds["score0"], rounds["score1"]], axis=1),
        round_winner=rounds["winner"],
        round_plies=rounds["plies"],
        round_reason=rounds["reason"],
        round_burnt=np.stack([rounds["burnt0"], rounds["burnt1"]], axis=1),
    )


def _winners(winner: Any) -> Any:
    return winner.fill_null(-1).to_numpy()


def _places(reason: Any) -> Any:
    """Return reasons as places in `REASONS`, whatever the dictionary's order."""
    places = np.array([REASONS.index(word) for word in reason.dictionary.to_pylist()], np.int8)
    return places[reason.indices.to_numpy()] if len(reason) else np.zeros(0, np.int8)


def _winner(winner: Any) -> Any:
    return _array(winner, mask=winner < 0)


def _reason(index: Any) -> Any:
    return pa.DictionaryArray.from_arrays(_array(index), _REASONS)


def _packed_moves(games: "Games") -> Any:
    from sim.packing import pack

    packed, offsets = pack(games.moves, games.move_offsets)
    buffers: list[Any] = [None, pa.py_buffer(offsets.data), pa.py_buffer(packed.data)]
    return pa.Array.from_buffers(pa.binary(), games.count, buffers)


def moves_of(packed_moves: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return a column's moves, all in a row, and the offsets of each game's, shape (n + 1,)."""
    return unpack(*bytes_of(packed_moves))


def _array(values: NDArray[Any], mask: NDArray[np.bool_] | None = None) -> Any:
    """Return numbers as an Arrow array, null where the mask holds, not copied if they are dense.

    `pa.array` does too, but first looks for pandas on the disk, which takes as long as the games.
    """
    dense = np.ascontiguousarray(values)
    valid = None
    if mask is not None and mask.any():
        valid = pa.py_buffer(np.packbits(~mask, bitorder="little").data)
    kind = pa.from_numpy_dtype(dense.dtype)
    return pa.Array.from_buffers(kind, len(dense), [valid, pa.py_buffer(dense.data)])
