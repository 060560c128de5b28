"""Plans: what they stand for, what is refused and how, and that they stand alone."""

import itertools
import time
from pathlib import Path
from typing import Any

import pytest
from played import plan_of

from pipelines.cells import SEMANTICS, cell_id, make_cell, meaning_text
from pipelines.grid import pair_up
from pipelines.plan import MAX_SEED, document_of, parse_plan, read_plan
from sim.agents import parse_agent
from sim.errors import UserError
from sim.presets import load_variant

CONTRACT = """
seed = 7
games = 100_000
[grid]
variant = ["sungka", "owari"]
"board.pits" = [5, 6, 7]
agents = [["random", "random"], ["greedy", "greedy"]]
[[case]]
variant = "kalah"
"capture.needs_opposite" = false
[output]
log = "games"
"""
MINE = "[board]\npits = 4\nseeds = 3\n[capture]\nkind = 'opposite'\n"


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    return path


def test_a_plan_is_the_product_of_its_grid_and_its_cases(tmp_path: Path) -> None:
    plan = read_plan(written(tmp_path, CONTRACT))
    assert (plan.seed, plan.games, plan.log, plan.note) == (7, 100_000, "games", "")
    assert [cell.label for cell in plan.cells] == [
        *(
            f"{name} {pits}×{seeds}, {who} against {who}"
            for name, seeds in (("sungka", 7), ("owari", 4))
            for pits in (5, 6, 7)
            for who in ("random", "greedy")
        ),
        "kalah 6×4, random against random",
    ]
    assert plan.cells[-1].keys["capture.needs_opposite"] is False
    assert plan.total == 13 * 100_000


def test_dotted_keys_and_tables_mean_the_same(tmp_path: Path) -> None:
    table = 'games = 5\n[grid]\nvariant = "kalah"\n[grid.board]\npits = [5, 6]\n'
    dotted = 'games = 5\n[grid]\nvariant = ["kalah"]\nboard.pits = [5, 6]\n'
    assert read_plan(written(tmp_path, table)).ids == read_plan(written(tmp_path, dotted)).ids


@pytest.mark.parametrize(
    ("name", "value", "cells"),
    [
        ("capture.counts", [2, 3], 1),
        ("capture.counts", [[2, 3], [3]], 2),
        ("board.layout", [[1, 2], [2, 1]], 1),
        ("board.layout", [[[1, 2], [2, 1]], [[2, 2], [1, 1]]], 2),
        ("end.max_plies", 50, 1),
    ],
)
def test_a_value_that_is_a_list_is_told_from_a_list_of_values(
    name: str, value: Any, cells: int
) -> None:
    grid = {"variant": ["awari"], "board.pits": [2], name: value}
    assert len(plan_of({"grid": grid}).cells) == cells


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("grids = 1", "there is no entry 'grids' in a plan (did you mean 'grid'?)"),
        ("seed = -1", "seed = -1 is not allowed: give an integer from 0 to"),
        (f"seed = {MAX_SEED + 1}", "is not allowed: give an integer from 0 to"),
        ("seed = true", "seed = true is not allowed"),
        (f"seed = {'9' * 5000}", "not valid TOML: a number of thousands of digits"),
        (f"seed = 0x{'f' * 5000}", "seed = a huge number is not allowed"),
        (f"seed = {'[' * 20_000}", "not valid TOML: lists or tables nested too deeply"),
        (f"[grid]\nvariant = ['kalah']\n{'a.' * 5000}b = 1", "grid: there is no rule key 'a.a"),
        (f"[grid]\nvariant = ['{'a' * 5000}']", "there is no variant 'aaa"),
        (
            "[grid]\nvariant = ['kalah']\n'board.pits' = [5]\nboard.pits = [6]",
            "grid: board.pits is given twice",
        ),
        (
            "[[case]]\nvariant = 'kalah'\n'board.pits' = 5\nboard.pits = 6",
            "case 1: board.pits is given twice",
        ),
        (
            f"[grid]\nvariant = ['kalah']\nboard.pits = [5, 0x{'f' * 5000}]",
            "board.pits = a huge number is not allowed",
        ),
        ("games = 0", "games = 0 is not allowed: give an integer from 1 to 1,000,000,000,000"),
        ("games = 1_000_000_000_001", "is not allowed"),
        ("games = '7'", 'games = "7" is not allowed'),
        ("", "nothing to play"),
        ("[grid]\n'board.pits' = [5]", "grid: variant is missing"),
        ("[grid]\nvariant = []", "variant is an empty list"),
        ("[grid]\nvariant = ['kalah']\n'board.pits' = []", "board.pits is an empty list"),
        ("[grid]\nvariant = ['kalah']\nagents = []", "agents is an empty list"),
        ("[grid]\nvariant = ['kalahh']", "there is no variant 'kalahh' (did you mean 'kalah'?)"),
        ("[grid]\nvariant = [7]", "variant = 7: give names or files"),
        (
            "[grid]\nvariant = ['kalah']\nagents = ['random']",
            'agents: "random" is no pair of agents: write',
        ),
        (
            "[grid]\nvariant = ['kalah']\nagents = [['randon', 'random']]",
            "(did you mean 'random'?)",
        ),
        ("[grid]\nvariant = ['kalah']\n'board.pitts' = [5]", "(did you mean 'board.pits'?)"),
        ("[grid]\nvariant = ['kalah']\nboard.pits = [6, 13]", "[kalah, board.pits = 13]"),
        ("[grid]\nvariant = ['kalah']\n'board.pits' = ['six']", "give an integer from 1 to 12"),
        (
            "[grid]\nvariant = ['kalah', 'owari']\n'sowing.relay' = ['none', 'occupied']",
            "[owari, sowing.relay = occupied]: sowing.relay = 'occupied' with capture.kind",
        ),
        ("grid = 3", "grid must be a table"),
        ("[case]\nvariant = 'kalah'", "case must be written [[case]]"),
        ("[[case]]\n'board.pits' = 5", "case 1: variant is missing"),
        (
            "[[case]]\nvariant = 'kalah'\n[[case]]\nvariant = 'kalah'\nend.win = 3",
            "case 2: there is",
        ),
        ("[[case]]\nvariant = 'kalah'\nagents = [['random', 'random']]", "is no pair of agents"),
        (
            "[output]\nlog = 'nothing'",
            'output.log = "nothing" is not allowed: give moves, games, none',
        ),
        ("[output]\nlogs = 'moves'", "there is no entry 'output.logs' (did you mean 'log'?)"),
        ("output = 1", "output must be a table"),
        ("[variants]\nkalah = {}", "variants.kalah: a preset has this name"),
        ("[variants.mine]\nboard.pits = 6", "variants.mine: board.seeds is missing"),
        ("variants = 1", "variants must be tables"),
        ("[grid", "not valid TOML"),
    ],
)
def test_a_bad_plan_is_refused_naming_the_file_the_key_and_the_mend(
    tmp_path: Path, text: str, says: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UserError) as refused:
        read_plan(path)
    message = str(refused.value)
    assert says in message
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert len(message) < 600


GAMES = "[grid]\nvariant = ['kalah']\nboard.pits = [5, 6]\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("stop = 0.01", "stop must be a table: [stop] with half_width = 0.005"),
        (f"{GAMES}[stop]", "[stop] does not say when to stop: give half_width"),
        (f"{GAMES}[stop]\nmax_games = 9_000", "[stop] does not say when to stop"),
        (f"{GAMES}[stop]\nhalf_widht = 0.1", "'stop.half_widht' (did you mean 'half_width'?)"),
        (f"{GAMES}[stop]\nhalf_width = 0", "stop.half_width = 0 is not allowed: give half an"),
        (f"{GAMES}[stop]\nhalf_width = -0.1", "stop.half_width = -0.1 is not allowed"),
        (f"{GAMES}[stop]\nhalf_width = nan", "stop.half_width = NaN is not allowed"),
        (f"{GAMES}[stop]\nhalf_width = inf", "stop.half_width = Infinity is not allowed"),
        (f"{GAMES}[stop]\nhalf_width = true", "stop.half_width = true is not allowed"),
        (f"{GAMES}[stop]\nhalf_width = '1 %'", 'stop.half_width = "1 %" is not allowed'),
        (f"{GAMES}[stop]\nhalf_width = 0.5", "from 0.000001 to below 0.5"),
        (f"{GAMES}[stop]\nhalf_width = [0.1]", "stop.half_width = [0.1] is not allowed"),
        (f"{GAMES}[stop]\nmargin_half_width = 0", "stop.margin_half_width = 0 is not allowed"),
        (f"{GAMES}[stop]\nhalf_width = 0.1\nmax_games = 0", "stop.max_games = 0 is not allowed"),
        (f"{GAMES}[stop]\nhalf_width = 0.1\nmin_games = 1.5", "stop.min_games = 1.5 is not"),
        (
            f"games = 500\n{GAMES}[stop]\nhalf_width = 0.1\nmin_games = 400",
            "games = 500 and stop.min_games = 400 both say how many games a cell has at least",
        ),
        (
            f"games = 500\n{GAMES}[stop]\nhalf_width = 0.1\nmax_games = 400",
            "stop.max_games = 400 is less than the 500 games that a cell has at least",
        ),
        (
            f"games = 500\n{GAMES}[stop]\ntotal_games = 999",
            "stop.total_games = 999 is less than 2 × 500, the cells times the games after which"
            " each is first judged: give 1,000 at least",
        ),
    ],
)
def test_a_bad_or_contradictory_stop_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UserError) as refused:
        read_plan(path)
    message = str(refused.value)
    assert says in message
    assert message.startswith(f"{path}: ")
    assert "\n" not in message


def test_the_least_games_can_be_said_in_two_ways(tmp_path: Path) -> None:
    stop = "[stop]\nhalf_width = 0.1\n"
    one = read_plan(written(tmp_path, f"games = 500\n{GAMES}{stop}"))
    other = read_plan(written(tmp_path, f"{GAMES}{stop}min_games = 500"))
    assert one.text == other.text
    assert one.games == 500


def test_a_billion_cells_by_mistake_are_refused_at_once() -> None:
    keys = {f"{group}.{name}": list(range(1, 1001)) for group, name in (("end", "max_plies"),
            ("match", "max_rounds"), ("sowing", "max_laps"))}  # fmt: skip
    with pytest.raises(UserError, match="1,000,000,000 cells"):
        plan_of({"grid": {"variant": ["kalah"], **keys}})


def test_combinations_that_mean_the_same_are_one_cell() -> None:
    grid = {"variant": ["kalah"], "match.max_rounds": [5, 6], "board.direction": ["cw", "ccw"]}
    plan = plan_of({"grid": grid})
    assert len(plan.cells) == 1
    assert plan.note.startswith("3 combinations mean the same as others")


def test_an_id_is_of_rules_agents_and_engine_alone() -> None:
    kalah = load_variant("kalah").rules
    random, greedy = parse_agent("random"), parse_agent("greedy")
    ids = {
        make_cell("kalah", kalah, pair).id
        for pair in [(random, random), (random, greedy), (greedy, random)]
    }
    assert len(ids) == 3
    assert make_cell("other name", kalah, (random, random)).id in ids
    assert cell_id(meaning_text(kalah), (random, random)) in ids
    # Datasets are found by this value: it changes with SEMANTICS and the vocabulary only.
    assert SEMANTICS == 1
    assert make_cell("kalah", kalah, (random, random)).id == "efcfcee57c6768b86bba76e20a22a3df"


def test_a_plan_with_files_is_written_to_stand_alone(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "mine.toml").write_text(f"[about]\nsource = 'Me'\n{MINE}")
    (tmp_path / "sub" / "mine.toml").write_text(MINE.replace("4", "5"))
    (tmp_path / "kalah.toml").write_text(MINE)
    grid = "games = 3\n[grid]\nvariant = ['mine.toml', 'sub/mine.toml', 'kalah.toml', 'kalah']\n"
    plan = read_plan(written(tmp_path, grid + "[[case]]\nvariant = 'mine.toml'\nend.max_plies = 9"))
    # The second file of a name, and one with a preset's name but not its rules, are renamed;
    # kalah.toml has mine.toml's rules, so that it is no cell of its own.
    assert [cell.variant for cell in plan.cells] == ["mine", "mine-2", "kalah", "mine"]
    elsewhere = tmp_path / "elsewhere" / "plan.toml"
    elsewhere.parent.mkdir()
    elsewhere.write_text(plan.text)
    again = read_plan(elsewhere)
    assert again.cells == plan.cells
    assert again.text == plan.text
    assert again.document["variants"]["mine"]["about"] == {"source": "Me"}


def test_a_file_with_a_presets_name_and_rules_is_the_preset(tmp_path: Path) -> None:
    (tmp_path / "kalah.toml").write_text(MINE.replace("4", "6").replace("3", "4"))
    plan = parse_plan({"grid": {"variant": ["kalah.toml"]}}, "plan", tmp_path)
    assert plan.ids == plan_of({"grid": {"variant": ["kalah"]}}).ids
    assert "variants" not in plan.document


def test_options_and_a_file_make_the_same_plan(tmp_path: Path) -> None:
    document = document_of(
        ["kalah"], {"board.pits": [5, 6], "capture.counts": [[2], [3]]},
        pair_up(["random", "greedy"], "all"), seed=3, games=10, log="games",
    )  # fmt: skip
    plan = parse_plan(document, "run", Path())
    assert read_plan(written(tmp_path, plan.text)).cells == plan.cells
    assert len(plan.cells) == 2 * 4


def test_pairings() -> None:
    assert pair_up(["random", "greedy", "random"], "self") == [["random"] * 2, ["greedy"] * 2]
    assert pair_up(["random", "greedy"], "all") == [
        ["random", "random"], ["random", "greedy"], ["greedy", "random"], ["greedy", "greedy"]
    ]  # fmt: skip
    assert pair_up(["a", "b", "c"], "mirror") == [
        ["a", "b"], ["b", "a"], ["a", "c"], ["c", "a"], ["b", "c"], ["c", "b"]
    ]  # fmt: skip
    with pytest.raises(UserError, match="at least two different agents"):
        pair_up(["random", "random"], "mirror")


def test_a_byte_order_mark_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(b"\xef\xbb\xbf" + MINE.encode())
    plan = written(tmp_path, "\ufeffgames = 3\n[grid]\nvariant = ['mine.toml']\n")
    assert [cell.variant for cell in read_plan(plan).cells] == ["mine"]


def test_every_combination_is_checked_as_rules_alone_are() -> None:
    def ids(keys: dict[str, Any]) -> list[str] | str:
        try:
            return [cell.id for cell in plan_of({"grid": {"variant": ["owari"], **keys}}).cells]
        except UserError as error:
            return str(error)

    keys: dict[str, list[Any]] = {
        "board.pits": [5, 6], "board.layout": [[[1] * 6, [2] * 6], [[2] * 6, [2] * 6]],
        "capture.kind": ["count", "opposite"], "sowing.relay": ["none", "occupied"],
    }  # fmt: skip
    for chosen in ({"board.pits": [6]}, {"board.pits": [6], "sowing.relay": ["none"]}):
        expected = [
            make_cell("owari", load_variant("owari", one).rules, (parse_agent("random"),) * 2).id
            for values in itertools.product(*(keys | chosen).values())
            if (one := dict(zip(keys, values, strict=True)))["sowing.relay"] == "none"
            or one["capture.kind"] == "opposite"
        ]
        whole = ids(keys | chosen)
        if "sowing.relay" in chosen:
            assert whole == expected
        else:
            assert "sowing.relay = occupied]: sowing.relay = 'occupied' with capture.kind" in whole
    assert "board.pits = 5" in ids(keys)
    # True and 1 are equal, but a key allows one of them: known groups must not hide it.
    said = ids({"sowing.own_store": [False, True, 1]})
    assert "sowing.own_store = 1]: sowing.own_store = 1 is not allowed" in said


def test_two_thousand_cells_are_planned_at_once() -> None:
    grid = {"variant": ["kalah", "owari"], "board.pits": list(range(1, 11)),
            "board.seeds": list(range(1, 11)), "end.max_plies": list(range(100, 110))}  # fmt: skip
    start = time.process_time()
    assert len(plan_of({"grid": grid}).cells) == 2000
    assert time.process_time() - start < 3  # it takes a quarter of a second


def test_as_many_cases_are_read_and_written_at_once(tmp_path: Path) -> None:
    cases = [{"variant": "kalah", "end.max_plies": number} for number in range(1, 2001)]
    start = time.process_time()
    plan = plan_of({"case": cases})
    assert read_plan(written(tmp_path, plan.text)).cells == plan.cells
    assert time.process_time() - start < 6  # it takes one
