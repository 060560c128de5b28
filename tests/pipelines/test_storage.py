"""Datasets in a remote store: against a server of S3 that runs beside, and in memory."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from command import mancalab, refused
from played import run
from stores import BUCKET, serving

from pipelines import connect
from pipelines.dataset import open_dataset
from pipelines.lease import is_leased
from pipelines.places import is_remote, place
from pipelines.remote import Remote
from pipelines.shards import SMALLEST

ROOT = f"s3://{BUCKET}"
GAMES = 2 * SMALLEST
OPTIONS = ["kalah", "--pits", "4..6", "--games", str(GAMES)]
COMMAND = [sys.executable, "-W", "error", "-c", "from pipelines.cli import main; main()"]
PLAN: dict[str, Any] = {"games": GAMES, "grid": {"variant": ["kalah"], "board.pits": [4, 5, 6]}}


@pytest.fixture(scope="module", autouse=True)
def _store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with serving(tmp_path_factory.mktemp("server") / "log"):
        yield


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("local") / "d", PLAN)


def remote(url: str) -> Remote:
    found = place(url)
    assert is_remote(found)
    return found


def committed(folder: str | Path) -> dict[str, Any]:
    """Return the checksums that a dataset's manifest says of its files."""
    rows = open_dataset(place(folder)).rows
    return {row.file: (row.size, row.checksum, row.statistics) for row in rows}


def begun(url: str, *options: str) -> "subprocess.Popen[str]":
    """Start a run and return once a shard is in place."""
    process = subprocess.Popen(
        [*COMMAND, "run", *(options or OPTIONS), "--threads", "1", "--out", url],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while process.poll() is None and not list(remote(url).glob("games/*.parquet")):
        time.sleep(0.02)
    return process


def test_every_command_takes_a_url(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, local: Path
) -> None:
    out = f"{ROOT}/every"
    played = subprocess.run(
        [*COMMAND, "run", *OPTIONS, "--out", out], capture_output=True, text=True, check=False
    )
    assert played.returncode == 0, played.stderr
    assert played.stdout.startswith(f"{out}: 3 cells, {3 * GAMES:,} games")
    assert f"next: mancalab report {out}\n" in played.stderr
    assert committed(out) == committed(local)
    assert not remote(f"{out}/.lock").exists()

    again = mancalab(capsys, "run", "--plan", f"{out}/plan.toml", "--out", out)
    assert (again[0], "nothing to do" in again[1]) == (0, True)
    code, said, _ = mancalab(capsys, "status", out)
    assert (code, said.startswith(f"{out}: complete, {3 * GAMES:,} of")) == (0, True)
    code, said, err = mancalab(capsys, "verify", out)
    assert (code, "all is as it should be" in said) == (0, True), said + err
    for command in (
        ["report"],
        ["report", "--query", "openings"],
        ["sql", "-c", "SELECT cell, count(*), sum(pit) FROM moves GROUP BY cell ORDER BY cell"],
    ):
        said_of = [mancalab(capsys, *command, folder) for folder in (out, str(local))]
        assert said_of[0] == said_of[1]
        assert said_of[0][0] == 0
    assert mancalab(capsys, "report", out, "--out", f"{ROOT}/reports/r.txt")[0] == 0
    assert "First player's share" in remote(f"{ROOT}/reports/r.txt").read_text("utf-8")

    assert mancalab(capsys, "merge", out, "--out", f"{ROOT}/merged")[0] == 0
    assert mancalab(capsys, "merge", f"{ROOT}/merged", "--out", str(tmp_path / "merged"))[0] == 0
    assert committed(f"{ROOT}/merged") == committed(tmp_path / "merged") == committed(local)
    refused(mancalab(capsys, "merge", out, "--out", f"{out}/"))


def test_moves_are_exported_from_and_to_a_url(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = f"{ROOT}/small"
    assert mancalab(capsys, "run", "sungka", "owari", "--games", "200", "--out", out)[0] == 0
    for target in (f"{ROOT}/exported", str(tmp_path / "exported")):
        assert mancalab(capsys, "export", out, "--moves", "--out", target)[0] == 0
        code, said, _ = mancalab(capsys, "export", out, "--moves", "--out", target)
        assert (code, "nothing to do" in said) == (0, True)
    [here] = (tmp_path / "exported" / "moves").iterdir()
    [there] = remote(f"{ROOT}/exported/moves").iterdir()
    assert there.read_bytes() == here.read_bytes()


def test_duckdb_reads_by_no_extension_and_counts_a_game_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    few, many = f"{ROOT}/few", f"{ROOT}/many"
    for out, games in ((few, "300"), (many, "700")):
        assert mancalab(capsys, "run", "kalah", "--games", games, "--out", out)[0] == 0
    con = connect(few, many)
    con.execute("SET threads = 4")
    # Of one file only some games are taken: its name has to be the one that DuckDB reports.
    assert con.execute("SELECT count(*) FROM games").fetchall() == [(700,)]
    assert con.execute("SELECT sum(games) FROM statistics").fetchall() == [(700,)]
    loaded = "SELECT extension_name FROM duckdb_extensions() WHERE extension_name LIKE 'http%'"
    assert con.execute(f"{loaded} AND (loaded OR installed)").fetchall() == []


def test_a_killed_run_goes_on_to_the_same_files(
    capsys: pytest.CaptureFixture[str], local: Path
) -> None:
    out = f"{ROOT}/killed"
    process = begun(out)
    process.kill()
    process.communicate()
    assert remote(f"{out}/.lock").is_file()  # but its holder is known to be dead
    whole = committed(local)
    assert set(committed(out)) < set(whole)
    assert not is_leased(remote(out))
    code, said, _ = mancalab(capsys, "run", *OPTIONS, "--out", out)
    assert (code, said.startswith(f"{out}: 3 cells")) == (0, True)
    assert committed(out) == whole


def test_a_second_run_is_refused_while_the_first_lives(
    capsys: pytest.CaptureFixture[str], local: Path
) -> None:
    out = f"{ROOT}/twice"
    first = begun(out)
    os.kill(first.pid, signal.SIGSTOP)  # or it might be through
    try:
        said = refused(mancalab(capsys, "run", *OPTIONS, "--out", out))
        assert f"{out}: another run is at work there" in said
        assert ": at work, " in mancalab(capsys, "status", out)[1]
    finally:
        os.kill(first.pid, signal.SIGCONT)
    first.send_signal(signal.SIGINT)
    stdout, stderr = first.communicate(timeout=30)
    assert (first.returncode, stdout) == (130, "")
    assert f"to go on: mancalab run --plan {out}/plan.toml --out {out}\n" in stderr
    assert not remote(f"{out}/.lock").exists()
    assert mancalab(capsys, "run", "--plan", f"{out}/plan.toml", "--out", out)[0] == 0
    assert committed(out) == committed(local)


def test_a_server_that_goes_away_is_one_line(tmp_path: Path) -> None:
    out = f"{ROOT}/gone"
    with serving(tmp_path / "log") as server:
        process = begun(out, "kalah", "--games", "3_000_000")
        server.kill()
        stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (1, "")
    told, failed = stderr.splitlines()[-2:]
    assert f"to go on: mancalab run --plan {out}/plan.toml --out {out}" in told
    assert failed.startswith(f"mancalab: {out}/")
    assert "the store fails: Could not connect" in failed
    assert "Traceback" not in stderr


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("s3://no-such-bucket/d", "bucket does not exist"),
        ("s3://", "names no bucket"),
        ("nowhere://a/b", "no kind of store"),
        (f"{ROOT}", "holds 'every' but no dataset"),
    ],
)
def test_a_url_that_leads_nowhere_is_refused(
    capsys: pytest.CaptureFixture[str], out: str, said: str
) -> None:
    remote(f"{ROOT}/every/note").write_bytes(b"")
    assert said in refused(mancalab(capsys, "run", "kalah", "--games", "10", "--out", out))


def test_without_credentials_a_line_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "Unable to locate credentials" in refused(mancalab(capsys, "status", f"{ROOT}/every"))
    fsspec.get_filesystem_class("s3").clear_instance_cache()
