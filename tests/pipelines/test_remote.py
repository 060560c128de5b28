"""Remote folders as datasets, and all that may be wrong with them: in memory."""

import pickle
import sys
from pathlib import Path
from typing import Any

import fsspec
import pyarrow.parquet as pq
import pytest
from command import mancalab, refused
from played import QUICK, SMALL, plan_of, run, small_shards  # noqa: F401
from stores import MEMORY, in_memory  # noqa: F401

from pipelines import connect, dataset, manifest
from pipelines.asking import ask
from pipelines.dataset import open_dataset
from pipelines.executors import Threads
from pipelines.objects import Objects
from pipelines.places import place, source
from pipelines.reading import read_group
from pipelines.remote import Remote, StoreError, remote_at
from pipelines.verify import verify
from sim.errors import UserError

pytestmark = pytest.mark.usefixtures("in_memory", "small_shards")


def shards(url: str = MEMORY) -> list[Path]:
    return sorted(place(f"{url}/games").glob("*.parquet"))


def test_a_url_is_a_place_and_a_path_a_path() -> None:
    folder: Any = place("memory://games/d//")
    assert (str(folder / "x" / "y"), folder.name, str(folder.parent)) == (
        "memory://games/d/x/y", "d", "memory://games",
    )  # fmt: skip
    assert folder == place(MEMORY) == pickle.loads(pickle.dumps(folder)) == folder.resolve()
    assert len({folder, place(MEMORY)}) == 1
    assert place(folder) is folder
    assert folder != place("runs/d") == Path("runs/d") == place(Path("runs/d"))
    assert place("file:///runs/d") == Path("/runs/d")
    assert not folder.exists()
    assert list(folder.iterdir()) == []


def test_the_extra_is_named_where_its_library_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(UserError, match=r"pip install 'mancalab\[s3\]'"):
        place("s3://games/d")


def test_a_failure_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    run(place(MEMORY), QUICK)

    def away(*_: Any, **__: Any) -> Any:
        raise RuntimeError("gone\naway")

    store = type(fsspec.filesystem("memory"))
    for method in ("info", "cat_file", "ls"):
        monkeypatch.setattr(store, method, away)
    for question in ("exists", "is_file", "is_dir"):
        with pytest.raises(StoreError, match=f"{MEMORY}: the store fails: gone away"):
            getattr(remote_at(MEMORY), question)()
    with pytest.raises(StoreError):
        manifest.read_manifest(place(MEMORY))
    with pytest.raises(StoreError):
        manifest.read_footer(place(f"{MEMORY}/games/x.parquet"))


def test_a_row_group_is_read_by_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    run(place(MEMORY), {**QUICK, "games": SMALL * 4})
    [path, *_] = shards()
    whole = place(path).stat().st_size
    asked = []
    reading = Remote.read_range

    def counted(remote: Remote, start: int | None, stop: int | None) -> bytes:
        data = reading(remote, start, stop)
        asked.append(len(data))
        return data

    monkeypatch.setattr(Remote, "read_range", counted)
    with pq.ParquetFile(source(path)) as file:
        assert file.metadata.num_rows
    assert sum(asked) <= 1 << 16
    asked.clear()
    read_group(path, 0)
    assert len(asked) <= 4
    assert sum(asked) <= whole + (1 << 16)


def test_a_shard_counts_before_the_manifest_has_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "BETWEEN", 1e9)
    written = []
    rewrite = manifest.rewrite
    monkeypatch.setattr(
        manifest, "rewrite", lambda f, rows: written.append(len(rows)) or rewrite(f, rows)
    )
    run(place(MEMORY), {**QUICK, "games": SMALL * 4})
    assert written == [1, 8]  # at the first shard, and at the end
    place(f"{MEMORY}/manifest.jsonl").unlink()
    assert open_dataset(place(MEMORY)).games == SMALL * 8
    run(place(MEMORY), {**QUICK, "games": SMALL * 4})
    assert len(manifest.read_manifest(place(MEMORY))) == 8
    assert len(written) == 3


def test_verify_finds_what_is_missing_and_what_is_torn(capsys: pytest.CaptureFixture[str]) -> None:
    run(place(MEMORY), {**QUICK, "games": SMALL * 2})
    missing, torn, *_ = map(remote_at, map(str, shards()))
    data = torn.read_bytes()
    missing.unlink()
    torn.write_bytes(data[:-100])
    faults = "\n".join(verify(place(MEMORY), Threads(1)).faults)
    assert f"games/{missing.name}: the file is missing" in faults
    assert f"games/{torn.name}: the file has" in faults
    code, said, _ = mancalab(capsys, "verify", MEMORY)
    assert (code, "FAULT" in said) == (1, True)
    again = ["run", "kalah", "owari", "--games", str(SMALL * 2), "--out", MEMORY]
    assert f"{torn}: damaged" in refused(mancalab(capsys, *again))
    torn.unlink()
    assert mancalab(capsys, *again)[0] == 0
    assert torn.read_bytes() == data
    assert not verify(place(MEMORY), Threads(1)).faults


def test_a_damaged_file_is_named_by_a_query(capsys: pytest.CaptureFixture[str]) -> None:
    run(place(MEMORY), QUICK)
    [path] = map(remote_at, map(str, shards()))
    path.write_bytes(b"PAR1" + path.read_bytes()[4:-4] + b"XXXX")
    assert f"{path}: damaged" in refused(mancalab(capsys, "sql", MEMORY, "-c", "FROM games"))


def test_names_may_hold_any_sign(tmp_path: Path) -> None:
    url = "memory://games/it's [here] 100%?*"
    plan = plan_of(QUICK)
    run(place(url), QUICK)
    assert connect(url).execute("SELECT count(*) FROM games").fetchall() == [(plan.total,)]
    assert len(shards(url)) == 1


def test_a_plan_in_a_store_may_name_files_of_this_machine(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text("board = {pits = 3, seeds = 3}\n")
    plan = remote_at("memory://games/plan.toml")
    plan.write_bytes(b'games = 10\n[grid]\nvariant = ["mine.toml", "kalah"]\n')
    assert mancalab(capsys, "run", "--plan", str(plan), "--out", MEMORY)[0] == 0
    assert "20 of 20 games" in mancalab(capsys, "status", MEMORY)[1]
    plan.write_bytes(b'grid.variant = ["nothing"]\n')
    said = refused(mancalab(capsys, "run", "--plan", str(plan), "--out", MEMORY))
    assert "there is no variant 'nothing'" in said


def test_a_store_that_fails_in_a_query_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    run(place(MEMORY), {**QUICK, "games": SMALL * 4})
    con = connect(MEMORY)

    def away(self: Remote, *_: Any) -> bytes:
        raise StoreError(self, OSError("away"))

    monkeypatch.setattr(Remote, "read_range", away)
    monkeypatch.setattr(Objects, "_facts", lambda self, path: (1 << 20, b""))
    with pytest.raises(UserError, match=f"^SQL: {MEMORY}/games/.*: the store fails: away$"):
        ask(con, lambda: con.execute("SELECT sum(plies) FROM games").fetchall(), "SQL")
