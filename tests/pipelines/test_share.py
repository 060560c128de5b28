"""`run --shard i/n`: shares of a plan that know nothing of each other make up the whole."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from command import mancalab, refused
from played import files_of, plan_of, rows_of, run, small_shards  # noqa: F401

from pipelines.dataset import open_dataset, read_plans

pytestmark = pytest.mark.usefixtures("small_shards")
SWEEP = ("kalah", "easy", "--pits", "3..5", "--seeds", "3", "--games", "700")  # 6 cells


@pytest.fixture(scope="module")
def shares(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    from pipelines.cli import main

    folders = [tmp_path_factory.mktemp("shares") / str(i) for i in (1, 2, 3, 4)]
    for i, folder in enumerate(folders, 1):
        with pytest.raises(SystemExit) as left:
            main(["run", *SWEEP, "--shard", f"{i}/4", "--out", str(folder)])
        assert left.value.code == 0
    return folders


def test_each_share_has_whole_cells_that_are_no_other_ones(shares: list[Path]) -> None:
    coverages = [open_dataset(folder).coverage for folder in shares]
    assert [len(coverage.cells) for coverage in coverages] == [2, 2, 1, 1]
    cells = [cell for coverage in coverages for cell in coverage.cells]
    assert len(set(cells)) == 6
    assert all(c.count(cell) == 700 for c in coverages for cell in c.cells)


def test_merged_they_are_the_dataset_of_one_run(
    shares: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, joined = tmp_path / "whole", tmp_path / "joined"
    mancalab(capsys, "run", *SWEEP, "--out", str(whole))
    code, _, _ = mancalab(capsys, "merge", *map(str, shares), "--out", str(joined))
    assert code == 0
    assert rows_of(joined).equals(rows_of(whole))
    assert [plan.text for plan in read_plans(joined)] == [plan.text for plan in read_plans(whole)]
    code, out, _ = mancalab(
        capsys, "run", "--plan", str(joined / "plan.toml"), "--out", str(joined)
    )
    assert (code, "nothing to do" in out) == (0, True)


def test_a_share_is_finished_once(shares: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    before = files_of(shares[0])
    line = ("run", *SWEEP, "--shard", "1/4", "--out", str(shares[0]))
    code, out, _ = mancalab(capsys, *line)
    assert code == 0
    assert "complete already, nothing to do: share 1 of 4: 2 cells" in " ".join(out.split())
    assert files_of(shares[0]) == before


def test_a_share_without_cells_has_nothing_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An array may have more jobs than a plan has cells."""
    line = ("run", "kalah", "--shard", "2/9", "--out", str(tmp_path / "d"), "--format", "json")
    code, out, _ = mancalab(capsys, *line)
    assert (code, json.loads(out)["games"]) == (0, 0)


def test_what_a_dry_run_says(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = mancalab(capsys, "run", *SWEEP, "--shard", "2/4", "--dry-run")
    assert code == 0
    assert "1,400 of them to play, share 2 of 4, in 2 shards" in out


def test_shares_depend_on_the_plan_alone(tmp_path: Path) -> None:
    """Not on the order in which cells stand in it."""
    names = ["kalah", "easy", "sunka"]
    one, two = (plan_of({"grid": {"variant": v}}) for v in (names, names[::-1]))
    for i in (1, 2):
        shared = [[c.id for c in replace(plan, share=(i, 2)).shared] for plan in (one, two)]
        assert shared[0] == shared[1]


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "-1/2", "1/0", "1/2/3", ""])
def test_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ("run", "kalah", f"--shard={text}", "--out", str(tmp_path / "d"))
    assert "give i/n with i from 1 to n" in refused(mancalab(capsys, *line))
    assert not (tmp_path / "d").exists()


def test_the_rest_is_played_without_a_share(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "d"
    mancalab(capsys, "run", *SWEEP, "--shard", "1/2", "--out", str(folder))
    mancalab(capsys, "run", *SWEEP, "--out", str(folder))
    document = {"games": 700, "grid": {"variant": ["kalah", "easy"]}}
    document["grid"] |= {"board.pits": [3, 4, 5], "board.seeds": 3}
    assert rows_of(folder).equals(rows_of(run(tmp_path / "whole", document)))
