"""Statistics beside rows, and alone: `--log none` through every command."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import mancalab, refused
from played import SMALL, files_of, run, small_shards  # noqa: F401

from pipelines import statistics_checks
from pipelines.dataset import open_dataset
from pipelines.executors import Threads
from pipelines.files import checksum
from pipelines.manifest import FOOTER, read_footer, read_manifest
from pipelines.measures import STATISTICS
from pipelines.merge import merge
from pipelines.verify import verify

pytestmark = pytest.mark.usefixtures("small_shards")

PLAN: dict[str, Any] = {"games": SMALL, "grid": {"variant": ["kalah", "sunka"]}}
NONE: dict[str, Any] = {**PLAN, "output": {"log": "none"}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return run(tmp_path / "d", NONE)


def stats(folder: Path) -> list[Path]:
    return sorted((folder / "stats").iterdir())


def report(capsys: pytest.CaptureFixture[str], *folders: Path) -> str:
    code, out, err = mancalab(capsys, "report", *map(str, folders), "--format", "json")
    assert (code, err) == (0, "")
    return out


def test_no_row_is_kept_and_the_report_is_the_same(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = run(tmp_path / "rows", PLAN)
    assert not list((folder / "games").iterdir())
    assert report(capsys, folder) == report(capsys, rows)
    assert [pq.read_table(a).equals(pq.read_table(b)) for a, b in zip(
        stats(folder), stats(rows), strict=True)] == [True, True]  # fmt: skip
    both = open_dataset(folder), open_dataset(rows)
    assert [d.games for d in both] == [2 * SMALL] * 2
    assert both[0].moves == both[1].moves
    row = min(read_manifest(folder), key=lambda row: row.file)
    assert (row.log, row.file, row.statistics) == ("none", f"stats/{stats(folder)[0].name}", None)
    assert read_footer(folder / row.file).footer == row.footer


def test_it_resumes_grows_and_does_nothing_twice(folder: Path, tmp_path: Path) -> None:
    before = files_of(folder)
    (folder / "manifest.jsonl").unlink()  # as a kill between the file and its line leaves it
    run(folder, NONE)
    assert files_of(folder) == before
    stats(folder)[0].unlink()
    run(folder, NONE)
    assert files_of(folder) == before
    run(folder, NONE, games=2 * SMALL)
    assert open_dataset(folder).games == 4 * SMALL
    assert verify(folder, Threads(2)).faults == []


def test_threads_change_nothing(folder: Path, tmp_path: Path) -> None:
    assert files_of(run(tmp_path / "one", NONE, threads=1)) == files_of(folder)


def test_another_log_is_another_plan(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ("run", "kalah", "sunka", "--games", str(SMALL), "--out", str(folder))
    assert "it logs none, this plan moves" in refused(mancalab(capsys, *line))


def test_status_export_and_sql_say_what_is_kept(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = mancalab(capsys, "status", str(folder))
    assert code == 0
    assert f"{2 * SMALL:,} games kept as statistics alone (--log none)\n" in out
    assert max(map(len, out.splitlines()[1:])) <= 80
    line = ("export", str(folder), "--moves", "--out", str(tmp_path / "out"))
    assert "run with --log moves" in refused(mancalab(capsys, *line))
    code, out, err = mancalab(capsys, "sql", str(folder), "-c", "SELECT count(*) AS n FROM games")
    assert (code, out.split()[-1], err.count("\n")) == (0, "0", 1)
    assert "only statistics are kept (--log none)" in err
    sql = "SELECT sum(games) AS n FROM statistics"
    assert mancalab(capsys, "sql", str(folder), "-c", sql)[::2] == (0, "")


def test_merging(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = run(tmp_path / "small", NONE, games=100, seed=3)
    rows = run(tmp_path / "rows", PLAN, games=200, seed=4)
    together = report(capsys, folder, small, rows)
    out = tmp_path / "out"
    assert merge([folder, small, rows], out)[1] == 2 * SMALL + 600
    assert report(capsys, out) == together
    assert verify(out, Threads(2)).faults == []
    before = files_of(out)
    assert merge([folder, small, rows], out)[1] == 0
    assert files_of(out) == before
    # Smaller ones of the same games bring nothing; what cannot be taken apart is refused.
    assert merge([run(tmp_path / "few", NONE, games=50)], out)[1] == 0
    more = run(tmp_path / "more", NONE, games=SMALL + 500)
    said = refused(mancalab(capsys, "merge", str(more), "--out", str(out)))
    assert "statistics cannot be taken apart" in said
    said = refused(mancalab(capsys, "merge", str(run(tmp_path / "r", PLAN)), "--out", str(out)))
    assert "without moves that" in said
    assert files_of(out) == before


def altered(path: Path, name: str, change: Any) -> None:
    """Change a figure of a file of statistics, and seal it as if nothing had happened."""
    columns, footer = pq.read_table(path).to_pydict(), read_footer(path).footer
    columns[name][0] = change(columns[name][0])
    with pq.ParquetWriter(path, STATISTICS) as file:
        file.write_table(pa.table(columns, STATISTICS))
        file.add_key_value_metadata({FOOTER: footer})
    manifest = path.parent.parent / "manifest.jsonl"
    lines = [json.loads(line) for line in manifest.read_text().splitlines()]
    for line in lines:
        if Path(line["file"]).name == path.name:
            seal = {"bytes": path.stat().st_size, "checksum": checksum(path)}
            line.update(seal if line["log"] == "none" else {"statistics": seal})
    manifest.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_statistics_with_nulls_are_a_fault(tmp_path: Path) -> None:
    folder = run(tmp_path / "d", NONE)
    [file, *_] = stats(folder)
    footer = read_footer(file).footer
    columns = pq.read_table(file).to_pydict()
    columns["plies"][0] = columns["by_plies"][0] = None
    lax = pa.schema([field.with_nullable(True) for field in STATISTICS])
    with pq.ParquetWriter(file, lax) as writer:
        writer.write_table(pa.table(columns, lax))
        writer.add_key_value_metadata({FOOTER: footer})
    assert any("cannot be read" in fault for fault in verify(folder, Threads(1)).faults)


def test_verify_plays_a_part_anew(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = mancalab(capsys, "verify", str(folder))
    assert code == 0
    assert f"{2 * SMALL:,} games of which only statistics are kept (--log none)\n" in out
    assert f"{2 * SMALL:,} games without moves played anew\n" in out
    monkeypatch.setattr(statistics_checks, "ANEW", 1)
    assert verify(folder, Threads(2)).anew == SMALL  # one span at least


@pytest.mark.parametrize("log", ["none", "games"])
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("laps", lambda laps: laps + 1),
        ("wins0", lambda wins: wins - 1),
        ("by_margin", lambda counts: [{**counts[0], "value": -48}, *counts[1:]]),
        ("digests", lambda counts: counts[1:]),
    ],
)
def test_verify_finds_a_figure_that_the_games_do_not_give(
    tmp_path: Path, log: str, name: str, change: Any
) -> None:
    folder = run(tmp_path / "d", PLAN, output={"log": log})
    file = stats(folder)[0]
    altered(file, name, change)
    faults = verify(folder, Threads(2)).faults
    assert faults
    assert all(
        file.name in fault and name in fault.replace("wins and", "wins0") for fault in faults
    )


def test_verify_finds_damage(tmp_path: Path) -> None:
    folder = run(tmp_path / "d", PLAN)
    first, second = stats(folder)
    first.unlink()
    data = bytearray(second.read_bytes())
    data[len(data) // 2] ^= 1
    second.write_bytes(bytes(data))
    faults = "\n".join(verify(folder, Threads(2)).faults)
    assert f"games/{first.name}: its statistics are missing: the plan's next run makes" in faults
    assert f"games/{second.name}: the bytes of its statistics have changed" in faults


@pytest.mark.parametrize("lost", ["file", "file and line", "all", "half", "a measure"])
def test_lost_statistics_are_made_anew_from_the_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lost: str
) -> None:
    """As after a kill between the rows and their statistics, or in a dataset of before."""
    folder = run(tmp_path / "d", PLAN)
    before, said = files_of(folder), report(capsys, folder)
    file = stats(folder)[0]
    if lost == "half":
        file.write_bytes(file.read_bytes()[:500])
    elif lost == "a measure":  # as in the statistics of a version that has fewer
        pq.write_table(pq.read_table(file).drop_columns("laps"), file)
    else:
        file.unlink()
    manifest = folder / "manifest.jsonl"
    lines = manifest.read_text().splitlines(keepends=True)
    if lost == "file and line":
        manifest.write_text("".join(line for line in lines if file.name not in line))
    if lost == "all":
        rows = [json.loads(line) for line in lines]
        for row in rows:
            del row["statistics"]
        manifest.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert report(capsys, folder) == said  # rightly, from the rows
    run(folder, PLAN)
    assert files_of(folder) == before
    assert all(row.statistics for row in read_manifest(folder))
    assert verify(folder, Threads(2)).faults == []


def test_statistics_alone_of_another_version_are_a_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = stats(folder)[0]
    pq.write_table(pq.read_table(file).drop_columns("laps"), file)
    said = refused(mancalab(capsys, "report", str(folder)))
    assert said.startswith(
        f"mancalab: {file}: cannot be read (it is damaged, or of another version"
    )


def test_statistics_of_games_that_are_gone_go_too(tmp_path: Path) -> None:
    folder = run(tmp_path / "d", PLAN)
    before = files_of(folder)
    gone = next(iter((folder / "games").iterdir()))
    gone.unlink()
    assert open_dataset(folder).games == SMALL
    run(folder, PLAN)
    assert files_of(folder) == before
