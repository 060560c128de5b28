"""The manifest: which lines are none, and what they do to whoever reads it."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import mancalab, refused
from played import run

from pipelines.manifest import Row, read_manifest

CELL = "efcfcee57c6768b86bba76e20a22a3df"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return run(tmp_path / "d", games=50)


WRONG: list[dict[str, Any]] = [
    {"file": 3},
    {"file": "../d/games/a.parquet"},
    {"file": "games/../a.parquet"},
    {"file": "games/.a.parquet"},
    {"file": "games/a.parquet\n"},
    {"file": "/games/a.parquet"},
    {"file": "cells/cells.parquet"},
    {"rows": "100"},
    {"rows": 99},
    {"rows": 0, "spans": []},
    {"rows": 100.0},
    {"moves": None},
    {"moves": -1},
    {"moves": True},
    {"bytes": "a"},
    {"bytes": 0},
    {"bytes": 2**63},
    {"checksum": ""},
    {"checksum": "sha256:" + "g" * 64},
    {"checksum": "md5:" + "0" * 32},
    {"seed": -1},
    {"seed": "0"},
    {"log": "none"},
    {"log": None},
    {"versions": []},
    {"spans": None},
    {"spans": [[CELL, "a", 100]]},
    {"spans": [[CELL, 0]]},
    {"spans": [[CELL, -1, 100]]},
    {"spans": [["../x", 0, 100]]},
    {"spans": [[CELL, 0, 101], [CELL, 101, -1]]},
    {"spans": [CELL]},
    {"more": 1},
]


@pytest.mark.parametrize("change", WRONG, ids=str)
def test_a_line_with_a_wrong_value_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any]
) -> None:
    path = folder / "manifest.jsonl"
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole + json.dumps(json.loads(whole) | change) + "\n", encoding="utf-8")
    said = refused(mancalab(capsys, "status", str(folder)))
    assert said.startswith(f"mancalab: {path}: line 2 is damaged: remove the line, then the next")


@pytest.mark.parametrize("name", ["file", "rows", "moves", "bytes", "checksum", "spans"])
def test_a_line_without_an_entry_is_none(folder: Path, name: str) -> None:
    [row] = read_manifest(folder)
    line = json.loads(row.line)
    assert Row.parse(json.dumps(line)) == row
    del line[name]
    with pytest.raises(ValueError, match="no shard's row"):
        Row.parse(json.dumps(line))


@pytest.mark.parametrize("text", ["", "7", "[]", "{}", "null", "[" * 100_000, "9" * 5000, b"\xff"])
def test_what_is_no_row_at_all(text: str | bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (of JSON's own, of UTF-8, or ours)
        Row.parse(text)
    with pytest.raises(ValueError):  # noqa: PT011
        Row.parse_footer(text)


def test_a_line_that_is_there_twice_counts_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "manifest.jsonl"
    once = mancalab(capsys, "status", str(folder))
    whole = path.read_text(encoding="utf-8")
    path.write_text(2 * whole + whole[:30], encoding="utf-8")  # the last one torn
    assert mancalab(capsys, "status", str(folder)) == once
    assert len(read_manifest(folder)) == 1
