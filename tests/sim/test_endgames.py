"""Endgame tables equal published ones, and what plain Python makes of random rules."""

import csv
import random
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from drawn import drawn_rules
from solved import Rows, Solved, solved

from sim import endgames as module
from sim.endgames import bytes_needed, counts, endgames, look_up, solved_rules
from sim.errors import UserError
from sim.kernel.endgames import NO_ENDGAMES, Endgames, covered, endgame_stage, endgame_value
from sim.presets import load_variant
from sim.referee import Game, Position
from sim.rules import Rules, Value
from sim.tables import packed, words_of

DATA = Path(__file__).parents[2] / "data"
SLAMS: dict[str, dict[str, Value]] = {
    "1": {},
    "2": {"capture.grand_slam": "allowed"},
    "3": {"capture.grand_slam": "forbidden"},
}
AWARI = load_variant("awari").rules
SIZES = [(1, 9), (2, 6), (3, 4), (8, 2), (12, 1)]
"""Pits, and the most seeds, of the boards for random rules."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep tables where no other test or earlier version has kept some."""
    monkeypatch.setenv("MANCALAB_CACHE_DIR", str(tmp_path))
    return tmp_path / "endgames"


def rows_of(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((DATA / name).read_text().splitlines()))


def distribution(rows: list[dict[str, str]], *names: str) -> dict[int, dict[int, int]]:
    """Return seeds -> value -> count from the columns with these names."""
    found: dict[int, dict[int, int]] = defaultdict(dict)
    for row in rows:
        seeds, value, count = (int(row[name]) for name in names)
        found[seeds][value] = count
    return found


def published() -> dict[int, dict[int, int]]:
    names = "stones_on_board", "value_mover_minus_opponent", "count_published"
    return distribution(rows_of("awari_score_distribution.csv"), *names)


def test_awari_as_lincke_has_tabulated_it() -> None:
    assert counts(endgames(AWARI, 8)) == published()


@pytest.mark.parametrize("slam", SLAMS)
def test_oware_with_other_grand_slams(slam: str) -> None:
    rows = [r for r in rows_of("oware_variant_score_distribution.csv") if r["gs"] == slam]
    computed = distribution(rows, "stones", "value", "count")
    rules = load_variant("oware", SLAMS[slam]).rules
    assert counts(endgames(rules, max(computed))) == computed


@pytest.mark.parametrize("opt", ["0", "1"])
@pytest.mark.parametrize("pits", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_whole_games_of_kalah(pits: int, opt: str) -> None:
    """Here stores are in the ring, with extra turns; the table covers the start."""
    rows = [r for r in rows_of("kalah_values_computed.csv") if r["empty_capture"] == opt]
    rows += [
        r for r in rows_of("kalah_values_published.csv") if f"empty_capture={opt};" in r["rule"]
    ]
    rows = [r for r in rows if int(r["m"]) == pits and int(r["n"]) * pits <= 12]
    name = "kalah-empty-capture" if opt == "1" else "kalah"
    most = max(int(r["n"]) for r in rows)
    rules = load_variant(name, {"board.pits": pits, "board.seeds": most}).rules
    table = endgames(rules, rules.total)
    for row in rows:
        value, _ = look_up(table, [[int(row["n"])] * pits] * 2)
        assert row["wld"] == "DWL"[np.sign(value)], row
        assert not row["margin"] or value == int(row["margin"]), row


def compare(seed: int) -> None:
    """Compare one draw of rules with the solver over the referee, and what stages promise."""
    draw = random.Random(seed)
    pits, seeds = draw.choice(SIZES)
    keys: dict[str, Value] = {"board.pits": pits, "board.seeds": 1, "match.kind": "single"}
    rules, _ = solved_rules(drawn_rules(draw).with_keys(keys))
    table, right = endgames(rules, seeds), solved(rules, seeds)
    wrong = {
        rows: (value, look_up(table, rows))
        for rows, value in right.values.items()
        if look_up(table, rows)[0] != value
    }
    assert not wrong, (seed, rules)
    check_stages(table, right)


def check_stages(table: Endgames, right: Solved) -> None:
    """Stages fall with the better player's move of the smallest, and with all good replies."""

    def stage(rows: Rows) -> int:
        return look_up(table, rows)[1]

    for rows, value in right.values.items():
        node = right.nodes[rows]
        keeping = [
            stage(child)
            for child, other in node.children
            if right.values[child] == (-value if other else value)
        ]
        if value == 0:
            assert stage(rows) == 0
        elif value > 0 and value not in node.known:
            assert min(keeping) < stage(rows)
        elif value < 0:
            assert all(each < stage(rows) for each in keeping)


def test_random_rules_as_solved_over_the_referee() -> None:
    for seed in range(120):
        compare(seed)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_more_random_rules_as_solved_over_the_referee(part: int) -> None:
    for seed in range(1000 + 100 * part, 1100 + 100 * part):
        compare(seed)


def choices(rules: Rules, table: Endgames, position: Position) -> Iterator[tuple[Any, int]]:
    """Yield what each legal pit is worth, with what orders those that are worth the same."""
    mover = position.to_move
    for pit in Game(rules, position).legal:
        game = Game(rules, position)
        game.move(pit)
        after = game.position
        worth = sum(s * (1 - 2 * (i != mover)) for i, s in enumerate(after.stores))
        key = (0, 0)
        if not game.over:
            value, stage = look_up(
                table, [list(after.pits[after.to_move]), list(after.pits[1 - after.to_move])]
            )
            worth += value if after.to_move == mover else -value
            key = (sum(map(sum, after.pits)), stage)
        yield (worth, [-n for n in key]), pit


def test_whoever_is_better_wins_as_much_against_any_reply() -> None:
    draw, table = random.Random(1), endgames(AWARI, 8)
    rules, _ = solved_rules(AWARI)
    for _ in range(100):
        cells = [0] * 12
        for _ in range(draw.randint(3, 8)):
            cells[draw.randrange(12)] += 1
        game = Game(rules, Position.of([cells[:6], cells[6:]], (0, 0), 0))
        at_first = value = look_up(table, game.position.pits)[0]
        better = 0 if value > 0 else 1
        while value and not game.over:
            best = max(choices(rules, table, game.position))[1]
            game.move(best if game.position.to_move == better else draw.choice(game.legal))
            assert len(game.moves) < 200
            value, _ = look_up(table, game.position.pits[:: 1 - 2 * game.position.to_move])
        assert game.score[better] - game.score[1 - better] >= abs(at_first)


@numba.njit(error_model="numpy")
def compiled_look_up(e: Any, me: Any, opp: Any) -> Any:
    if covered(e, me, opp):
        return endgame_value(e, me, opp), endgame_stage(e, me, opp)
    return 99, 99


@pytest.mark.parametrize("pits", [3, 10])
def test_compiled_code_finds_what_python_finds_whatever_is_in_the_stores(pits: int) -> None:
    keys: dict[str, Value] = {"board.pits": pits, "board.seeds": 4}
    table = endgames(load_variant("owari", keys).rules, 3)
    for rows in ([[0, 0, 2], [1, 0, 0]], [[1, 0, 0], [0, 0, 1]], [[2, 1, 1], [0, 0, 0]]):
        whole = [[*row, *[0] * (pits - 3)][::-1] for row in rows]
        me, opp = (packed(row, words_of(pits), 7) for row in whole)
        if sum(map(sum, rows)) <= 3:
            assert compiled_look_up(table, me, opp) == look_up(table, whole)
        else:
            assert compiled_look_up(table, me, opp) == (99, 99)
            with pytest.raises(IndexError, match="covers up to 3"):
                look_up(table, whole)
        assert compiled_look_up(NO_ENDGAMES, me, opp) == (99, 99)


def levels_built(seeds: int) -> int:
    """Return how many levels of awari had to be built; what comes is right in any case."""
    told: list[str] = []
    table = endgames(AWARI, seeds, told.append)
    right = published()
    assert counts(table) == {s: right[s] for s in range(seeds + 1)}
    return len(told)


def test_tables_are_kept_and_grow(home: Path) -> None:
    assert levels_built(4) == 5
    assert levels_built(4) == 0
    assert levels_built(6) == 2
    assert levels_built(3) == 0
    assert levels_built(6) == 0
    assert {path.suffix for path in home.iterdir()} == {"", ".lock"}  # nothing else is left over


def kept(home: Path) -> Path:
    (file,) = (path for path in home.iterdir() if not path.suffix)
    return file


@pytest.mark.parametrize("damage", ["truncated", "flipped", "emptied"])
def test_damaged_levels_are_built_anew(home: Path, damage: str) -> None:
    levels_built(5)
    whole = kept(home).read_bytes()
    broken = bytearray(whole)
    if damage == "flipped":
        broken[len(broken) // 2] ^= 4  # in level 5, which is the larger part
    elif damage == "truncated":
        del broken[-1000:]
    else:
        broken.clear()
    kept(home).write_bytes(broken)
    assert levels_built(5) == (6 if damage == "emptied" else 1)
    assert kept(home).read_bytes() == whole
    assert levels_built(5) == 0


def test_a_table_is_not_taken_for_that_of_other_rules(home: Path) -> None:
    levels_built(3)
    mine = kept(home)
    endgames(load_variant("oware").rules, 3)
    (other,) = (path for path in home.iterdir() if not path.suffix and path != mine)
    mine.write_bytes(other.read_bytes())
    assert levels_built(3) == 4


def test_start_bounds_and_names_do_not_make_another_table(home: Path) -> None:
    keys: dict[str, Value] = {
        "board.seeds": 1, "end.win_seeds": 5, "end.repetition": 3, "end.max_plies": 7,
        "board.direction": "cw",
    }  # fmt: skip
    levels_built(2)
    told: list[str] = []
    endgames(AWARI.with_keys(keys), 2, told.append)
    assert not told
    assert kept(home)


def test_without_a_place_to_write_it_builds_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("MANCALAB_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert levels_built(3) == levels_built(3) == 4


def test_of_several_that_need_a_table_at_once_one_builds_it() -> None:
    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(levels_built, [6] * 4)) == [0, 0, 0, 7]


def test_what_takes_too_much_memory_is_refused_before_it_is_built(home: Path) -> None:
    enough = bytes_needed(6, 8)
    endgames(AWARI, 8, memory=enough)
    with pytest.raises(UserError, match=r"8 seeds with board.pits = 6 take .* MiB .* 7 seeds or"):
        endgames(AWARI, 8, memory=enough - 1)
    with pytest.raises(UserError, match="ask for 17 seeds or fewer"):
        endgames(AWARI, 48)
    for seeds in (-1, 127):
        with pytest.raises(UserError, match="give an integer from 0 to 126"):
            endgames(AWARI, seeds)


def test_memory_is_counted_as_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    work = module._work
    monkeypatch.setattr(module, "_work", lambda *size: taken.append(work(*size)) or taken[-1])
    e = endgames(load_variant("sungka", {"board.pits": 3}).rules, 8)
    assert bytes_needed(3, 8) == sum(part.nbytes for part in [*taken[0], e.values, e.stages])


def test_what_is_left_out_is_said_and_a_match_is_refused() -> None:
    solved, notes = solved_rules(load_variant("oware").rules)
    assert (solved.end.win_seeds, solved.end.repetition) == ("none", "none")
    assert [note.split()[0] for note in notes] == [
        "end.win_seeds", "end.repetition", "end.max_plies",
    ]  # fmt: skip
    assert "the winner is the same with" in notes[0]
    _, notes = solved_rules(load_variant("oware", {"end.win_seeds": 10}).rules)
    assert "the winner is perhaps another" in notes[0]
    assert len(solved_rules(AWARI)[1]) == 1  # its repetitions are worth 0 already
    with pytest.raises(UserError, match=r"--set match\.kind=single"):
        endgames(load_variant("sungka", {"match.kind": "sunog"}).rules, 3)
