"""What a dataset takes on disk."""

from pathlib import Path

import pytest
from made import cell, played

from pipelines.manifest import read_manifest


@pytest.mark.parametrize("variant", ["kalah", "oware", "owari", "sungka"])
def test_at_most_six_bits_a_move_all_files_counted(tmp_path: Path, variant: str) -> None:
    folder = played(tmp_path, [cell(variant)], range(20_000))
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    [row] = read_manifest(folder)
    assert 8 * size < 6 * row.moves
