"""Runs that stop by precision: how many games a cell has, and that nothing else decides it."""

import json
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import mancalab, refused
from played import files_of, hidden_files, plan_of, rows_of, run, small_shards  # noqa: F401

from pipelines import sweep
from pipelines.dataset import open_dataset
from pipelines.executors import Job, Result, Threads, Work
from pipelines.merge import merge
from pipelines.sequences import mean_sequence, share_sequence
from pipelines.stopping import LOOKS
from pipelines.verify import verify
from sim.errors import UserError

pytestmark = pytest.mark.usefixtures("small_shards")

PLAN: dict[str, Any] = {
    "games": 200, "seed": 5, "stop": {"half_width": 0.03}, "output": {"log": "games"},
    "grid": {"variant": ["kalah", "sungka"], "board.pits": [3, 5], "board.seeds": [3]},
}  # fmt: skip
WIDTHS = [{"half_width": 0.03}, {"margin_half_width": 1.0},
          {"half_width": 0.05, "margin_half_width": 0.8}]  # fmt: skip


def games_of(folder: Path) -> dict[str, int]:
    coverage = open_dataset(folder).coverage
    return {cell: coverage.count(cell) for cell in coverage.cells}


def faults(folder: Path) -> list[str]:
    return verify(folder, Threads(1)).faults


def results_of(folder: Path) -> dict[str, list[tuple[int | None, int]]]:
    """Return who won each game of each cell, and its margin, in the order of games."""
    results = defaultdict(list)
    for row in rows_of(folder).to_pylist():
        results[row["cell"]].append((row["winner"], row["score0"] - row["score1"]))
    return results


def is_narrow(games: list[tuple[int | None, int]], stop: dict[str, float], span: int) -> bool:
    """Whether a cell is as precise as asked, worked out anew from its games."""
    winners, margins = [winner for winner, _ in games], [margin for _, margin in games]
    counts = ([winners.count(result)] for result in (0, None, 1))
    low, high = share_sequence(*counts)
    if high[0] - low[0] > 2 * stop.get("half_width", 1):
        return False
    mean, deviation = np.mean(margins), np.std(margins, ddof=1)
    low, high = mean_sequence([mean], [deviation], [len(games)], [span])
    return bool(high[0] - low[0] <= 2 * stop.get("margin_half_width", span))


@pytest.mark.parametrize("stop", WIDTHS)
def test_a_cell_stops_at_a_look_at_which_it_is_precise_and_not_long_after(
    tmp_path: Path, stop: dict[str, float]
) -> None:
    folder = run(tmp_path / "d", PLAN, stop=stop)
    totals = {cell.id: cell.total for cell in plan_of(PLAN).cells}
    for cell, games in results_of(folder).items():
        assert len(games) in LOOKS
        assert is_narrow(games, stop, 2 * totals[cell])
        # No cell is looked at before it has nine tenths of the games that should do.
        earlier = LOOKS[LOOKS.index(len(games)) - 2]
        assert earlier < 200 or not is_narrow(games[:earlier], stop, 2 * totals[cell])
    assert len(set(games_of(folder).values())) > 1  # as cells differ
    assert not faults(folder)


def test_a_cell_has_its_least_games_and_no_more_than_its_most(tmp_path: Path) -> None:
    wide = run(tmp_path / "wide", PLAN, stop={"half_width": 0.2})
    assert set(games_of(wide).values()) == {200}
    capped = run(tmp_path / "capped", PLAN, stop={"half_width": 0.001, "max_games": 777})
    assert set(games_of(capped).values()) == {777}
    assert "games = 200" in (capped / "plan.toml").read_text()


class Disordered:
    """Runs all jobs and then yields their results from the last to the first."""

    def run(
        self, jobs: Iterable[Job], work: Work[Job, Result], progress: Callable[[int], None]
    ) -> Generator[Result]:
        yield from reversed([work(job, progress, lambda: None) for job in jobs])


class Interrupted(Threads):
    """Is interrupted once it has yielded so many results."""

    def __init__(self, results: int) -> None:
        super().__init__(2)
        self._left = results

    def run(
        self, jobs: Iterable[Job], work: Work[Job, Result], progress: Callable[[int], None]
    ) -> Generator[Result]:
        for result in super().run(jobs, work, progress):
            if not self._left:
                raise KeyboardInterrupt
            self._left -= 1
            yield result


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipelines.shards.SMALLEST", 1024)
        return run(tmp_path_factory.mktemp("undisturbed") / "d", PLAN, threads=1)


def test_neither_threads_nor_the_order_of_results_matter(tmp_path: Path, undisturbed: Path) -> None:
    threads = run(tmp_path / "threads", PLAN, threads=3)
    sweep.run(plan_of(PLAN), tmp_path / "disordered", Disordered(), lambda _: None)
    assert files_of(threads) == files_of(tmp_path / "disordered") == files_of(undisturbed)


@pytest.mark.parametrize("results", [0, 1, 2, 5, 9])
def test_an_interruption_anywhere_does_not_matter(
    tmp_path: Path, undisturbed: Path, results: int
) -> None:
    folder = tmp_path / "d"
    for _ in range(50):
        try:
            sweep.run(plan_of(PLAN), folder, Interrupted(results), lambda _: None)
            break
        except KeyboardInterrupt:
            if not results:  # or it would be so for ever
                break
    run(folder, PLAN)
    assert files_of(folder) == files_of(undisturbed)
    assert not hidden_files(folder)


def test_a_deleted_shard_of_an_early_look_is_played_anew(tmp_path: Path, undisturbed: Path) -> None:
    folder = run(tmp_path / "d", PLAN)
    for path in sorted((folder / "games").iterdir())[:2]:
        path.unlink()
    run(folder, PLAN)
    assert rows_of(folder).equals(rows_of(undisturbed))


def test_shares_merged_are_the_dataset_of_one_run(
    tmp_path: Path, undisturbed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = undisturbed / "plan.toml"
    shares = [tmp_path / str(i) for i in (1, 2, 3)]
    for i, share in enumerate(shares, 1):
        line = ("run", "--plan", str(plan), "--shard", f"{i}/3", "--out", str(share))
        assert mancalab(capsys, *line)[0] == 0
    merged = merge(shares, tmp_path / "merged")[0].folder
    assert rows_of(merged).equals(rows_of(undisturbed))
    line = ("run", "--plan", str(merged / "plan.toml"), "--out", str(merged))
    assert "nothing to do" in mancalab(capsys, *line)[1]
    assert not faults(merged)


@pytest.mark.parametrize("log", ["moves", "games", "none"])
def test_a_narrower_width_goes_on_where_a_wider_one_stopped(tmp_path: Path, log: str) -> None:
    narrow = {"stop": {"half_width": 0.02}, "output": {"log": log}}
    grown = run(tmp_path / "grown", PLAN, output={"log": log})
    before = games_of(grown)
    run(grown, PLAN, **narrow)
    fresh = run(tmp_path / "fresh", PLAN, **narrow)
    assert games_of(grown) == games_of(fresh)
    assert all(games > before[cell] for cell, games in games_of(grown).items())
    if log != "none":
        assert rows_of(grown).equals(rows_of(fresh))


def test_a_plan_of_fixed_games_can_go_on_to_precision_and_not_back(tmp_path: Path) -> None:
    fixed = {key: value for key, value in PLAN.items() if key != "stop"}
    folder = run(tmp_path / "d", fixed)
    run(folder, PLAN)
    fresh = run(tmp_path / "fresh", PLAN)
    assert rows_of(folder).equals(rows_of(fresh))
    before = files_of(folder)
    with pytest.raises(UserError, match="its cells stop by precision, as \\[stop\\] says"):
        run(folder, fixed, games=10**6)
    with pytest.raises(UserError, match=r"games of cell [0-9a-f]{32}, which this plan stops after"):
        run(folder, PLAN, stop={"half_width": 0.2})
    assert files_of(folder) == before


def test_games_for_all_cells_go_to_the_widest(tmp_path: Path) -> None:
    # Shares of 0.9 and more are soon precise.
    agents = [["greedy,eps=0.2", "random"], ["random", "random"]]
    grid = {"variant": ["kalah"], "board.pits": [6], "agents": agents}
    folder = run(tmp_path / "d", PLAN, grid=grid, stop={"total_games": 6_000})
    games = games_of(folder)
    assert sum(games.values()) == 6_000
    surer, other = (games[cell.id] for cell in plan_of(PLAN, grid=grid).cells)
    assert surer < other / 2
    shares = results_of(folder)
    width = {}
    for cell, results in shares.items():
        winners = [winner for winner, _ in results]
        low, high = share_sequence(*([winners.count(result)] for result in (0, None, 1)))
        width[cell] = high[0] - low[0]
    assert max(width.values()) < 1.5 * min(width.values())
    assert not faults(folder)


def test_games_for_all_cells_and_a_width_stop_at_either(tmp_path: Path) -> None:
    few = run(tmp_path / "few", PLAN, stop={"half_width": 0.001, "total_games": 5_000})
    assert sum(games_of(few).values()) == 5_000
    stop = {"half_width": 0.05, "total_games": 10**6}
    wide = run(tmp_path / "wide", PLAN, stop=stop)
    assert all(is_narrow(games, stop, 1) for games in results_of(wide).values())
    assert sum(games_of(wide).values()) < 10_000


def test_more_games_for_all_cells_go_on_where_fewer_ended(tmp_path: Path) -> None:
    stops = [{"total_games": games} for games in (3_000, 5_000)]
    folder = run(tmp_path / "d", PLAN, stop=stops[0])
    run(folder, PLAN, stop=stops[1])
    assert sum(games_of(folder).values()) == 5_000


def test_games_for_all_cells_are_refused_of_a_share(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "d"
    line = ("run", "kalah", "--total-games", "5_000", "--games", "100", "--out", str(out))
    said = refused(mancalab(capsys, *line, "--shard", "1/2"))
    assert "total_games is shared out among all cells, of which a share knows only its own" in said
    assert not out.exists()


def test_spans_that_a_merge_joined_are_judged_by_their_rows(tmp_path: Path) -> None:
    """A merge writes larger shards, whose spans go over the looks."""
    folder = run(tmp_path / "d", PLAN)
    merged = merge([folder], tmp_path / "merged")[0].folder
    (merged / "plan.toml").write_bytes((folder / "plan.toml").read_bytes())
    run(merged, PLAN, stop={"half_width": 0.02})
    fresh = run(tmp_path / "fresh", PLAN, stop={"half_width": 0.02})
    assert rows_of(merged).equals(rows_of(fresh))


def test_verify_tells_games_that_are_missing_or_too_many(tmp_path: Path) -> None:
    folder = run(tmp_path / "d", PLAN, stop={"half_width": 0.02})
    plan = (folder / "plan.toml").read_text()
    (folder / "plan.toml").write_text(plan.replace("half_width = 0.02", "half_width = 0.1"))
    assert any("which this plan stops after" in fault for fault in faults(folder))
    (folder / "plan.toml").write_text(plan.replace("half_width = 0.02", "half_width = 0.01"))
    assert verify(folder, Threads(1)).missing > 1_000


def test_a_dry_run_and_status_say_how_far_precision_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "d"
    line = ("run", "kalah", "--games", "200", "--half-width", "0.03", "--out", str(out))
    code, said, _ = mancalab(capsys, *line, "--dry-run")
    assert (code, "1 cell of 200 games at least" in said) == (0, True)
    assert "until they are as precise as [stop] says" in said
    assert mancalab(capsys, *line)[0] == 0
    plan = out / "plan.toml"
    for half_width in (0.03, 0.02):  # as asked, and as if more were asked
        plan.write_text(plan.read_text().replace("half_width = 0.03", f"half_width = {half_width}"))
        code, said, _ = mancalab(capsys, "status", str(out), "--format", "json")
        status = json.loads(said)
        [cell] = status["by_cell"]
        assert (code, cell["finished"]) == (0, half_width == 0.03)
        assert (cell["high"] - cell["low"] <= 2 * half_width) == cell["finished"]
        assert (status["planned"] > status["games"]) != cell["finished"]


def test_a_looser_plan_with_more_cells_is_refused_before_anything_is_played(
    tmp_path: Path,
) -> None:
    one, two = ({"variant": ["kalah", "sungka"][:count]} for count in (1, 2))
    folder = run(tmp_path / "d", PLAN, grid=one, stop={"half_width": 0.02})
    before = files_of(folder)
    for stop in ({"half_width": 0.1}, {"half_width": 0.02, "max_games": 1_000},
                 {"total_games": 3_000}):  # fmt: skip
        with pytest.raises(UserError, match="holds another plan: it has"):
            run(folder, PLAN, grid=two, stop=stop)
        assert files_of(folder) == before


def test_status_of_a_share_tells_how_its_own_cells_stand(
    tmp_path: Path, undisturbed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    share, plan = tmp_path / "share", str(undisturbed / "plan.toml")
    assert mancalab(capsys, "run", "--plan", plan, "--shard", "1/2", "--out", str(share))[0] == 0
    cells = json.loads(mancalab(capsys, "status", str(share), "--format", "json")[1])["by_cell"]
    mine = [cell for cell in cells if cell["games"]]
    assert len(mine) == 2
    for cell in mine:
        assert cell["finished"]
        assert cell["games"] == cell["planned"] == cell["wins"] + cell["draws"] + cell["losses"]
        assert cell["games"] == games_of(undisturbed)[cell["cell"]]
    assert [cell["finished"] for cell in cells if not cell["games"]] == [False, False]


@pytest.mark.parametrize("totals", [(2_509, 2_609, 2_610), (3_000, 9_000), (1_000, 1_001, 20_000)])
def test_any_more_games_for_all_cells_go_on_without_rows(
    tmp_path: Path, totals: tuple[int, ...]
) -> None:
    """What is left of them decides no look but the last, so that statistics are never cut."""
    plan = PLAN | {"games": 100, "output": {"log": "none"}}
    for total in totals:
        stop = {"half_width": 0.01, "max_games": 2_001, "total_games": total}
        folder = run(tmp_path / "d", plan, stop=stop)
        assert sum(games_of(folder).values()) == min(total, 4 * 2_001)
        assert not faults(folder)
    assert games_of(folder) == games_of(run(tmp_path / "fresh", plan, stop=stop))
