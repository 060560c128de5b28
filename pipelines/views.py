"""Datasets as a DuckDB connection: the views `cells`, `games`, `rounds` and `moves`."""

import re
import tempfile
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from pipelines import moves
from pipelines.asking import ask, condensed
from pipelines.dataset import PLAN, Dataset, open_dataset
from pipelines.messages import lacking_moves
from pipelines.shards import Coverage, Span
from sim.errors import UserError

_STORED = {
    "cell": "VARCHAR", "game": "BIGINT", "seed": "BIGINT", "pair": "BIGINT", "rounds": "INTEGER",
    "score0": "SMALLINT", "score1": "SMALLINT", "winner": "TINYINT", "plies": "INTEGER",
    "turns": "INTEGER", "laps": "BIGINT", "reason": "VARCHAR", "digest": "UBIGINT",
    "move_list": "UTINYINT[]",
    "round_log": "STRUCT(first_player TINYINT, score0 SMALLINT, score1 SMALLINT, winner TINYINT,"
    " plies INTEGER, reason VARCHAR, burnt0 TINYINT, burnt1 TINYINT)[]",
}  # fmt: skip
"""A shard's columns, which `stored.games` hands to the views."""

_VIEWS = """
CREATE VIEW cells AS
SELECT * FROM stored.cells;

CREATE VIEW games AS
SELECT
    cell, game, seed, pair, rounds, score0, score1, score0 - score1 AS margin, winner,
    CASE winner WHEN 0 THEN 1.0::DOUBLE WHEN 1 THEN 0.0 ELSE 0.5 END AS points0,
    plies, turns, laps, reason, digest
FROM stored.games;

-- A game that is one round logs no rounds: it is its own. A match's moves lie in a row, so that
-- a round's begin where those of the rounds before it end.
CREATE VIEW rounds AS
SELECT
    cell, game, seed, 1::INTEGER AS round, 0::TINYINT AS first_player, score0, score1, winner,
    plies, reason, 0::TINYINT AS burnt0, 0::TINYINT AS burnt1, move_list
FROM stored.games
WHERE round_log IS NULL AND rounds > 0
UNION ALL
SELECT
    cell, game, seed, round, r.first_player, r.score0, r.score1, r.winner,
    r.plies, r.reason, r.burnt0, r.burnt1, move_list[before + 1 : before + r.plies]
FROM (
    SELECT
        cell, game, seed, move_list,
        generate_subscripts(round_log, 1)::INTEGER AS round,
        unnest(round_log) AS r,
        unnest(list_transform(lengths, lambda n, i: coalesce(list_sum(lengths[: i - 1]), 0)))
            AS before
    FROM (
        SELECT *, list_transform(round_log, lambda r: r.plies) AS lengths
        FROM stored.games
        WHERE round_log IS NOT NULL
    )
);

CREATE VIEW moves AS
SELECT
    cell, game, seed, m.round, m.ply, m.turn, m.player, m.pit, m.lifted, m.laps, m.captured,
    m.gained, m.extra_turn, m.legal_moves, m.store0, m.store1
FROM (SELECT cell, game, seed, unnest(replay_moves(cell, move_list)) AS m FROM stored.games);
"""


def connect(*folders: str | Path, where: str | None = None) -> duckdb.DuckDBPyConnection:
    """Open datasets as an in-memory DuckDB connection with the four views.

    The same game (cell, seed, game) in several folders counts once. `where` is an SQL
    expression over `cells`: only the cells for which it holds are served, and their games.
    Only committed shards are read, and nothing is downloaded. Raises `UserError` where a folder
    holds no dataset or a damaged one, and where `where` is no such expression or leaves no cell.
    """
    datasets = open_datasets(folders)
    cell_files = [_cell_file(dataset) for dataset in datasets]
    parts = _parts(datasets)
    connection = duckdb.connect(":memory:", config=_settings())
    connection.execute("SET enable_progress_bar = false")  # it would draw into the results
    connection.execute("CREATE SCHEMA stored")
    with _telling_damage(datasets):
        _add_cells(connection, cell_files, parts)
        if where is not None:
            _keep_cells(connection, where)
        _add_games(connection, parts, filtered=where is not None)
        moves.register(connection, cell_files)
        connection.execute(_VIEWS)
    return connection


@contextmanager
def _telling_damage(datasets: Iterable[Dataset]) -> Iterator[None]:
    """Turn what DuckDB has against files that it opens into a line for the user."""
    try:
        yield
    except duckdb.Error as error:
        folders = ", ".join(str(dataset.folder) for dataset in datasets)
        raise UserError(
            f"{folders}: cannot be read ({condensed(error)}): `mancalab verify` says what is wrong"
        ) from None


def open_datasets(folders: Iterable[str | Path]) -> list[Dataset]:
    """Open datasets, each once. Raises `UserError` where a folder holds none."""
    named = {Path(folder).resolve(): Path(folder) for folder in folders}
    if not named:
        raise UserError("no dataset is given: name a folder that `mancalab run --out` wrote")
    return [open_dataset(folder) for folder in named.values()]


def missing_moves(folders: Iterable[str | Path], sql: str) -> str | None:
    """Say what SQL that asks for moves misses, where games were logged without; else `None`."""
    if not _MOVES.search(_COMMENT.sub("", sql)):
        return None
    bare = sum(dataset.bare for dataset in open_datasets(folders))
    return f"{lacking_moves(bare)}, their `move_list` is null" if bare else None


_MOVES = re.compile(r"\b(moves|move_list)\b", re.IGNORECASE)
_COMMENT = re.compile(r"--[^\n]*")


def _settings() -> dict[str, str | bool | int | float | list[str]]:
    """Keep DuckDB off the network and the home folder, and what it spills out of this one."""
    return {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "allow_persistent_secrets": False,
        "temp_directory": str(Path(tempfile.gettempdir()) / f"mancalab-{uuid.uuid4().hex}"),
    }


@dataclass(frozen=True)
class _Part:
    """A shard's file and the games taken from it; `whole` if these are all it has."""

    path: Path
    spans: tuple[Span, ...]
    whole: bool


def _parts(datasets: Iterable[Dataset]) -> list[_Part]:
    """Say from which file each game is taken, so that none counts twice.

    Shards with moves go before those without, then the folders in their order.
    """
    shards = [(row, dataset.folder / row.file) for dataset in datasets for row in dataset.rows]
    shards.sort(key=lambda shard: shard[0].log != "moves")
    held: dict[int, Coverage] = defaultdict(Coverage)  # by seed
    parts = []
    for row, path in shards:
        new = tuple(part for span in row.spans for part in held[row.seed].missing(span))
        held[row.seed].add(new)
        if new:
            parts.append(_Part(path, new, whole=sum(span.games for span in new) == row.rows))
    return parts


def _cell_file(dataset: Dataset) -> Path:
    path = dataset.folder / "cells" / "cells.parquet"
    if not path.is_file():
        raise UserError(
            f"{path}: there is no such file: `mancalab run --plan {dataset.folder / PLAN}"
            f" --out {dataset.folder}` writes it"
        )
    return path


def _add_cells(
    connection: duckdb.DuckDBPyConnection, files: Sequence[Path], parts: Iterable[_Part]
) -> None:
    """Add the table of cells: of a cell in several folders, the first one's row."""
    games: dict[str, int] = defaultdict(int)
    for part in parts:
        for span in part.spans:
            games[span.cell] += span.games
    connection.execute(
        f"""CREATE TABLE stored.cells AS
        SELECT c.* EXCLUDE (filename), coalesce(n.n_games, 0) AS n_games
        FROM {_read(files)} c
        LEFT JOIN (SELECT unnest($1::VARCHAR[]) AS cell, unnest($2::BIGINT[]) AS n_games) n
            USING (cell)
        QUALIFY row_number() OVER (
            PARTITION BY cell ORDER BY list_position({_list(files)}, filename)) = 1
        ORDER BY cell""",
        [list(games), list(games.values())],
    )


def _keep_cells(connection: duckdb.DuckDBPyConnection, where: str) -> None:
    place = f'--where "{where}"'
    unwanted = f"NOT coalesce(({where}\n)::BOOLEAN, false)"
    ask(connection, lambda: connection.execute(f"DELETE FROM stored.cells WHERE {unwanted}"), place)
    if not connection.execute("SELECT 1 FROM stored.cells LIMIT 1").fetchall():
        raise UserError(f"{place}: no cell is such: `mancalab sql DIR -c 'FROM cells'` lists them")


def _add_games(
    connection: duckdb.DuckDBPyConnection, parts: Sequence[_Part], *, filtered: bool
) -> None:
    columns = ", ".join(f"g.{name}" for name in _STORED)
    keep = " SEMI JOIN stored.cells USING (cell)" if filtered else ""
    sources = []
    if whole := [part.path for part in parts if part.whole]:
        sources.append(f"SELECT {columns} FROM {_read(whole)} g{keep}")
    if partial := [part for part in parts if not part.whole]:
        _add_spans(connection, partial)
        sources.append(
            f"SELECT {columns} FROM {_read([part.path for part in partial])} g{keep}"
            " SEMI JOIN stored.spans s ON g.filename = s.file AND g.cell = s.cell"
            " AND g.game >= s.first AND g.game < s.stop"
        )
    if not sources:
        nulls = ", ".join(f"NULL::{kind} AS {name}" for name, kind in _STORED.items())
        sources.append(f"SELECT {nulls} WHERE false")
    connection.execute(f"CREATE VIEW stored.games AS {' UNION ALL '.join(sources)}")


def _add_spans(connection: duckdb.DuckDBPyConnection, parts: Iterable[_Part]) -> None:
    """Add the table of the games that are taken from files which hold others too."""
    rows = [(str(part.path), *span[:2], span.stop) for part in parts for span in part.spans]
    connection.execute(
        "CREATE TABLE stored.spans AS SELECT unnest($1::VARCHAR[]) AS file, unnest($2::VARCHAR[])"
        " AS cell, unnest($3::BIGINT[]) AS first, unnest($4::BIGINT[]) AS stop",
        [list(values) for values in zip(*rows, strict=True)],
    )


def _read(files: Iterable[Path]) -> str:
    return (
        f"read_parquet({_list(files)}, union_by_name=true, hive_partitioning=false, filename=true)"
    )


def _list(paths: Iterable[Path]) -> str:
    return "[" + ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths) + "]"
