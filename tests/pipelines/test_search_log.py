"""What players note of their choices, from a run to the view `moves`; nothing where not asked."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from command import mancalab, refused
from numpy.typing import NDArray
from played import files_of, plan_of, rows_of, run

import sim.agents
from pipelines import connect
from pipelines.executors import Threads
from pipelines.export import export_moves
from pipelines.files import checksum
from pipelines.manifest import append, read_manifest, rewrite, sealed
from pipelines.merge import merge
from pipelines.plan import read_plan
from pipelines.schema import GAMES, SEARCHED
from pipelines.shards import Shard, Span
from pipelines.verify import verify
from sim.agents.greedy import Greedy, GreedyChooser
from sim.errors import UserError
from sim.kernel.sitting import Sitting
from sim.rules import Rules


class Thinker(Greedy):
    """Notes as worth the pit that it chooses and a half, and the ply; of pit 0 nothing."""

    name = "thinker"

    def chooser(self, rules: Rules) -> "ThinkerChooser":
        return ThinkerChooser(self, rules)


class ThinkerChooser(GreedyChooser):
    def choose(self, sitting: Sitting, games: NDArray[np.int64]) -> None:
        super().choose(sitting, games)
        pit = sitting.pit[games].astype(np.int64)
        sitting.worth[games] = np.where(pit == 0, np.nan, pit + 0.5)
        sitting.nodes[games] = np.where(pit == 0, 0, sitting.made[games] + 10**10)


GRID = {"variant": ["kalah", "owari"], "agents": [["thinker", "random"], ["thinker", "thinker"]]}
PLAN: dict[str, Any] = {"games": 40, "grid": GRID, "opening_plies": 2,
                        "output": {"log": "moves", "search": True}}  # fmt: skip
WITHOUT = {**PLAN, "output": {"log": "moves"}}
ASKED = """SELECT cell, game, ply, player, pit, search_worth, search_nodes
FROM moves ORDER BY cell, game, ply"""


@pytest.fixture(autouse=True)
def _thinker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sim.agents.PLAYERS, "thinker", Thinker)


def test_every_choice_has_what_was_noted_of_it(tmp_path: Path) -> None:
    folder = run(tmp_path / "d", PLAN)
    con = connect(folder)
    moves = con.execute(ASKED).fetchall()
    agents = dict(con.execute("SELECT cell, agent1 FROM cells").fetchall())
    assert len(moves) == con.execute("SELECT sum(plies) FROM games").fetchall()[0][0]
    for cell, _, ply, player, pit, worth, nodes in moves:
        thought = ply > 2 and (player == 0 or agents[cell] == "thinker") and pit != 0
        assert (worth, nodes) == ((pit + 0.5, ply - 1 + 10**10) if thought else (None, None))
    kinds = con.execute("SELECT column_name, column_type FROM (DESCRIBE moves)").fetchall()
    assert kinds[-2:] == [("search_worth", "FLOAT"), ("search_nodes", "BIGINT")]
    assert verify(folder, Threads(1)).faults == []


def test_games_are_the_same_and_without_it_files_are_as_ever(tmp_path: Path) -> None:
    with_it, without = run(tmp_path / "d", PLAN), run(tmp_path / "e", WITHOUT)
    [one], [other] = read_manifest(with_it), read_manifest(without)
    assert pq.read_schema(without / other.file).equals(GAMES)
    assert pq.read_schema(with_it / one.file).equals(SEARCHED)
    assert rows_of(with_it).equals(rows_of(without))
    assert connect(without).execute("SELECT count(search_worth) FROM moves").fetchall() == [(0,)]
    assert one.shard.id != other.shard.id
    # Shards of datasets that are there keep their ids.
    shard = Shard(0, "moves", (Span("a", 0, 5),))
    assert shard.id == "b7d04fa1427d66db6a7bdbfadd5a1ff7"


def test_sql_that_asks_for_them_is_told_which_games_lack_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    searched, plain = run(tmp_path / "a", PLAN), run(tmp_path / "b", WITHOUT, seed=1)
    ask = ("-c", "SELECT count(search_worth) FROM moves")
    assert mancalab(capsys, "sql", str(searched), *ask)[2] == ""
    code, _, told = mancalab(capsys, "sql", str(searched), str(plain), *ask)
    assert code == 0
    assert "160 games were logged without searches (--log-search): their `search_worth`" in told
    assert mancalab(capsys, "sql", str(plain), "-c", "SELECT count(*) FROM moves")[2] == ""


def test_players_in_step_note_nothing(tmp_path: Path) -> None:
    folder = run(tmp_path / "d", PLAN, grid={"variant": ["kalah"]}, opening_plies=0)
    counts = "SELECT count(*) > 1000, count(search_worth), count(search_nodes) FROM moves"
    assert connect(folder).execute(counts).fetchall() == [(True, 0, 0)]
    assert verify(folder, Threads(1)).faults == []


def test_the_plan_stands_alone_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "d"
    line = ("run", "kalah", "--agent", "thinker", "--games", "20", "--log-search")
    assert mancalab(capsys, *line, "--out", str(out))[0] == 0
    plan = read_plan(out / "plan.toml")
    assert plan.document["output"] == {"log": "moves", "search": True}
    assert plan.log == "moves+search"
    assert "nothing to do" in mancalab(capsys, *line, "--out", str(out))[1]
    said = refused(mancalab(capsys, *line[:-1], "--out", str(out)))
    assert "it logs moves+search, this plan moves" in said
    assert "logging moves+search" in mancalab(capsys, *line, "--dry-run")[1]
    assert plan_of(WITHOUT).document["output"] == {"log": "moves"}


@pytest.mark.parametrize("log", ["games", "none"])
def test_only_beside_moves(tmp_path: Path, capsys: pytest.CaptureFixture[str], log: str) -> None:
    line = ("run", "kalah", "--log", log, "--log-search", "--out", str(tmp_path / "d"))
    assert "searches are logged beside moves" in refused(mancalab(capsys, *line))
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize("value", [1, "yes"])
def test_what_is_no_truth_value(value: Any) -> None:
    with pytest.raises(UserError, match=r"output.search = .* is not allowed: give true or false"):
        plan_of(WITHOUT, output={"search": value})


def test_an_export_has_the_columns_of_its_dataset(tmp_path: Path) -> None:
    for document, more in ((PLAN, True), (WITHOUT, False)):
        folder = run(tmp_path / f"d{more}", document)
        export_moves(folder, tmp_path / f"e{more}", Threads(1))
        table = ds.dataset(tmp_path / f"e{more}" / "moves").to_table()
        assert ("search_worth" in table.schema.names) == more
        if more:
            names = ["cell", "game", "ply", "player", "pit", "search_worth", "search_nodes"]
            found = [tuple(row.values()) for row in table.select(names).to_pylist()]
            assert found == connect(folder).execute(ASKED).fetchall()


def altered(folder: Path, columns: dict[str, Any]) -> None:
    """Put other columns into a dataset's one file, and a checksum that fits."""
    [row] = read_manifest(folder)
    path = folder / row.file
    table = pq.read_table(path)
    for name, values in columns.items():
        place = table.schema.get_field_index(name)
        field = table.schema.field(name)
        table = table.set_column(place, field, [values(table[name].to_pylist())])
    footer = pq.read_metadata(path).metadata
    with pq.ParquetWriter(path, table.schema.remove_metadata()) as file:
        file.write_table(table)
        file.add_key_value_metadata({k: v for k, v in footer.items() if k != b"ARROW:schema"})
    assert checksum(path) != row.checksum
    rewrite(folder, [])
    append(folder, sealed(row, path))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("packed_worth", lambda old: [old[0][:-4], *old[1:]]),
        ("packed_nodes", lambda old: [*old[:-1], old[-1] + bytes(8)]),
        ("packed_nodes", lambda old: [None, *old[1:]]),
    ],
    ids=["short", "long", "missing"],
)
def test_verify_holds_their_number_against_the_moves(
    tmp_path: Path, name: str, values: Any
) -> None:
    folder = run(tmp_path / "d", PLAN)
    altered(folder, {name: values})
    assert any(
        "what players noted is not an entry a move" in f for f in verify(folder, Threads(1)).faults
    )


def test_a_merge_with_games_without_searches_has_one_schema(tmp_path: Path) -> None:
    searched = run(tmp_path / "a", PLAN)
    plain = run(tmp_path / "b", WITHOUT, seed=1, grid={**GRID, "variant": ["kalah"]})
    bare = run(tmp_path / "c", WITHOUT, seed=2, output={"log": "games"})
    sources = [plain, searched, bare]
    both, games = merge(sources, tmp_path / "m")
    assert games == 160 + 80 + 160
    files = sorted((tmp_path / "m" / "games").glob("*.parquet"))
    assert all(pq.read_schema(file).equals(SEARCHED) for file in files)
    assert verify(both.folder, Threads(1)).faults == []
    before = files_of(both.folder)
    merge(sources, tmp_path / "m")
    assert files_of(both.folder) == before
    counted = (
        "SELECT seed, count(*), count(search_worth) > 0 FROM moves GROUP BY seed ORDER BY seed"
    )
    found = connect(*sources).execute(counted).fetchall()
    assert connect(both.folder).execute(counted).fetchall() == found
    assert [(seed, thought) for seed, _, thought in found] == [(0, True), (1, False)]
    export_moves(both.folder, tmp_path / "e", Threads(1))
    assert ds.dataset(tmp_path / "e" / "moves").count_rows() == sum(n for _, n, _ in found)


def test_a_merge_into_a_folder_without_searches_is_refused(tmp_path: Path) -> None:
    merge([run(tmp_path / "b", WITHOUT, seed=1)], tmp_path / "m")
    with pytest.raises(UserError, match=r"logs no searches, and .* does: merge into a new folder"):
        merge([run(tmp_path / "a", PLAN)], tmp_path / "m")


def test_of_two_logs_of_a_game_the_one_with_searches_is_taken(tmp_path: Path) -> None:
    plain, searched = run(tmp_path / "b", WITHOUT), run(tmp_path / "a", PLAN)
    count = "SELECT count(*), count(search_worth) FROM moves"
    assert connect(plain, searched).execute(count).fetchall() == (
        connect(searched).execute(count).fetchall()
    )
    merged, _ = merge([plain, searched], tmp_path / "m")
    assert rows_of(merged.folder).num_rows == 160
    assert connect(merged.folder).execute(count).fetchall() == (
        connect(searched).execute(count).fetchall()
    )
