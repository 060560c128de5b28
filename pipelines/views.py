"""Datasets as a DuckDB connection: `cells`, `games`, `rounds`, `moves` and `statistics`."""

import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from pipelines import moves
from pipelines.asking import ask, condensed
from pipelines.dataset import PLAN, Dataset, damaged_file, open_dataset, stops
from pipelines.logs import SEARCH
from pipelines.places import is_remote, place
from pipelines.schema import GAMES, SEARCHED
from pipelines.sources import Part, Sources, sources_of
from pipelines.sql_types import sql_type
from pipelines.statistics_sql import COLUMNS, from_rows, merged_view
from sim.errors import UserError

_STORED = {field.name: sql_type(field.type) for field in SEARCHED}
"""A shard's columns and their types, which `stored.games` hands to the views."""

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
    plies, reason, 0::TINYINT AS burnt0, 0::TINYINT AS burnt1,
    unpack_moves(packed_moves) AS move_list
FROM stored.games
WHERE round_log IS NULL AND rounds > 0
UNION ALL
SELECT
    cell, game, seed, round, r.first_player, r.score0, r.score1, r.winner,
    r.plies, r.reason, r.burnt0, r.burnt1, move_list[before + 1 : before + r.plies]
FROM (
    SELECT
        cell, game, seed, unpack_moves(packed_moves) AS move_list,
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
    m.gained, m.extra_turn, m.legal_moves, m.store0, m.store1, search_worth, search_nodes
FROM (
    SELECT
        cell, game, seed, unnest(replay_moves(cell, packed_moves)) AS m,
        unnest(unpack_worth(packed_worth)) AS search_worth,
        unnest(unpack_nodes(packed_nodes)) AS search_nodes
    FROM stored.games
);
"""


def connect(*folders: str | Path, where: str | None = None) -> duckdb.DuckDBPyConnection:
    """Open datasets as an in-memory DuckDB connection with the views.

    The same game (cell, seed, game) in several folders counts once. `where` is an SQL
    expression over `cells`: only the cells for which it holds are served, and their games.
    Only committed shards are read, and nothing is downloaded. Raises `UserError` where a folder
    holds no dataset or a damaged one, and where `where` is no such expression or leaves no cell.
    """
    datasets = open_datasets(folders)
    cell_files = [_cell_file(dataset) for dataset in datasets]
    sources = sources_of(datasets)
    connection = duckdb.connect(":memory:", config=_settings())
    connection.execute("SET enable_progress_bar = false")  # it would draw into the results
    connection.execute("CREATE SCHEMA stored")
    with _telling_damage(datasets):
        _add_stores(connection, datasets)
        moves.register(connection, cell_files)
        _add_cells(connection, cell_files, list(map(stops, datasets)), sources)
        if where is not None:
            _keep_cells(connection, where)
        for name, parts in (("games", sources.rows), ("loose", sources.loose)):
            _add_games(connection, name, parts, filtered=where is not None)
        _add_statistics(connection, sources, filtered=where is not None)
        connection.execute(_VIEWS)
        connection.execute(merged_view())
    return connection


@contextmanager
def _telling_damage(datasets: Iterable[Dataset]) -> Iterator[None]:
    """Turn what DuckDB has against files that it opens into a line for the user."""
    try:
        yield
    except duckdb.Error as error:
        check_damage(datasets)
        folders = ", ".join(str(dataset.folder) for dataset in datasets)
        raise UserError(
            f"{folders}: cannot be read ({condensed(error)}): `mancalab verify` says what is wrong"
        ) from None


def check_damage(datasets: Iterable[Dataset]) -> None:
    """Raise `UserError` that names a file which is not as it was committed, if there is one.

    To be called where reading has failed, for it reads everything.
    """
    for path in filter(None, map(damaged_file, datasets)):
        raise UserError(
            f"{path}: damaged, its checksum is not the manifest's: `mancalab verify` says what is"
            " wrong"
        ) from None


def open_datasets(folders: Iterable[str | Path]) -> list[Dataset]:
    """Open datasets, each once. Raises `UserError` where a folder holds none."""
    places = [place(folder) for folder in folders]
    named = {folder.resolve(): folder for folder in places}
    if not named:
        raise UserError("no dataset is given: name a folder that `mancalab run --out` wrote")
    return [open_dataset(folder) for folder in named.values()]


def _settings() -> dict[str, str | bool | int | float | list[str]]:
    """Keep DuckDB off the network and the home folder, and what it spills out of this one."""
    return {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "allow_persistent_secrets": False,
        "temp_directory": str(Path(tempfile.gettempdir()) / f"mancalab-{uuid.uuid4().hex}"),
    }


def _add_stores(connection: duckdb.DuckDBPyConnection, datasets: Iterable[Dataset]) -> None:
    """Let DuckDB read remote datasets: by itself it would have to load an extension."""
    stores = {data.folder.scheme: data.folder for data in datasets if is_remote(data.folder)}
    for folder in stores.values():
        from pipelines.objects import Objects  # its library need not be there

        connection.register_filesystem(Objects(folder))


def _cell_file(dataset: Dataset) -> Path:
    path = dataset.folder / "cells" / "cells.parquet"
    if not path.is_file():
        raise UserError(
            f"{path}: there is no such file: `mancalab run --plan {dataset.folder / PLAN}"
            f" --out {dataset.folder}` writes it"
        )
    return path


def _add_cells(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[Path],
    stopping: Sequence[bool],
    sources: Sources,
) -> None:
    """Add the table of cells: of a cell in several folders, the first one's row.

    `stopping` says of each file whether its dataset's cells play until they are precise enough.
    """
    games = sources.games
    connection.execute(
        f"""CREATE TABLE stored.cells AS
        SELECT
            c.* EXCLUDE (filename) REPLACE (coalesce(opening_plies, 0)::SMALLINT AS opening_plies),
            coalesce(n.n_games, 0) AS n_games,
            bool_or($3[list_position({_list(files)}, filename)]) OVER (PARTITION BY cell)
                AS stopping
        FROM (
            FROM {_read(files)}
            UNION ALL BY NAME
            SELECT NULL::SMALLINT AS opening_plies WHERE false  -- where older tables lack it
        ) c
        LEFT JOIN (SELECT unnest($1::VARCHAR[]) AS cell, unnest($2::BIGINT[]) AS n_games) n
            USING (cell)
        QUALIFY row_number() OVER (
            PARTITION BY cell ORDER BY list_position({_list(files)}, filename)) = 1
        ORDER BY cell""",
        [list(games), list(games.values()), list(stopping)],
    )


def _keep_cells(connection: duckdb.DuckDBPyConnection, where: str) -> None:
    place = f'--where "{where}"'
    unwanted = f"NOT coalesce(({where}\n)::BOOLEAN, false)"
    ask(connection, lambda: connection.execute(f"DELETE FROM stored.cells WHERE {unwanted}"), place)
    if not connection.execute("SELECT 1 FROM stored.cells LIMIT 1").fetchall():
        raise UserError(f"{place}: no cell is such: `mancalab sql DIR -c 'FROM cells'` lists them")


def _add_games(
    connection: duckdb.DuckDBPyConnection, name: str, parts: Sequence[Part], *, filtered: bool
) -> None:
    """Add a view of the rows of games."""
    spans = "g.game >= s.first AND g.game < s.stop"
    sources = _selected(connection, name, parts, _of_games, spans, filtered=filtered)
    if not sources:
        sources = [_none(_STORED)]
    rows = " UNION ALL ".join(sources)
    connection.execute(
        f"CREATE VIEW stored.{name} AS"
        f" SELECT *, unpack_rounds(packed_rounds) AS round_log FROM ({rows})"
    )


def _of_games(parts: Iterable[Part]) -> str:
    """Return a shard's columns as they are taken from files, null where no file has them."""
    held = SEARCHED if any(part.log == SEARCH for part in parts) else GAMES
    return ", ".join(
        f"g.{name}" if name in held.names else f"NULL::{kind} AS {name}"
        for name, kind in _STORED.items()
    )


def _add_statistics(
    connection: duckdb.DuckDBPyConnection, sources: Sources, *, filtered: bool
) -> None:
    """Add the view of statistics: those in files, and those of other games from their rows."""
    columns = ", ".join(f"g.{name}" for name in COLUMNS)
    parts = _selected(
        connection, "statistics", sources.statistics, lambda _: columns, "g.first = s.first",
        filtered=filtered,
    )  # fmt: skip
    if sources.loose or not parts:
        parts.append(f"({from_rows('stored.loose')})")
    connection.execute(f"CREATE VIEW stored.statistics AS {' UNION ALL '.join(parts)}")


def _selected(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    parts: Sequence[Part],
    columns: Callable[[Iterable[Part]], str],
    spans: str,
    *,
    filtered: bool,
) -> list[str]:
    """Return queries of the rows taken from files: those of whole ones, and of the others."""
    keep = " SEMI JOIN stored.cells USING (cell)" if filtered else ""
    sources = []
    if whole := [part for part in parts if part.whole]:
        files = _read(part.path for part in whole)
        sources.append(f"SELECT {columns(whole)} FROM {files} g{keep}")
    if partial := [part for part in parts if not part.whole]:
        _add_spans(connection, f"{name}_spans", partial)
        sources.append(
            f"SELECT {columns(partial)} FROM {_read(part.path for part in partial)} g{keep}"
            f" SEMI JOIN stored.{name}_spans s ON g.filename = s.file AND g.cell = s.cell"
            f" AND {spans}"
        )
    return sources


def _add_spans(connection: duckdb.DuckDBPyConnection, name: str, parts: Iterable[Part]) -> None:
    """Add the table of the games that are taken from files which hold others too."""
    rows = [(str(part.path), *span[:2], span.stop) for part in parts for span in part.spans]
    connection.execute(
        f"CREATE TABLE stored.{name} AS SELECT unnest($1::VARCHAR[]) AS file, unnest($2::VARCHAR[])"
        " AS cell, unnest($3::BIGINT[]) AS first, unnest($4::BIGINT[]) AS stop",
        [list(values) for values in zip(*rows, strict=True)],
    )


def _none(columns: Mapping[str, str]) -> str:
    nulls = ", ".join(f"NULL::{kind} AS {name}" for name, kind in columns.items())
    return f"SELECT {nulls} WHERE false"


def _read(files: Iterable[Path]) -> str:
    return (
        f"read_parquet({_list(files)}, union_by_name=true, hive_partitioning=false, filename=true)"
    )


def _list(paths: Iterable[Path]) -> str:
    return "[" + ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths) + "]"
