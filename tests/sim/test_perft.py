"""The referee's move trees and first moves against published and independent counts.

`data/README.md` says where the counts come from and what the columns mean.
"""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sim.presets import load_variant
from sim.referee import Position, legal
from sim.referee.ends import after_passes, end_of_round
from sim.referee.position import start_of
from sim.referee.sowing import sow
from sim.rules import Rules, Value

DATA = Path(__file__).parents[2] / "data"
QUICK = 10_000  # leaves; deeper trees are marked slow

Tree = dict[str, Counter[int]]


def table(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline="", encoding="utf-8") as rows:
        return list(csv.DictReader(rows))


def tree(rules: Rules, position: Position, depth: int) -> Tree:
    """Count, by depth, the leaves and how their last moves captured or ended in a store."""
    counts: Tree = {what: Counter() for what in ("nodes", "captures", "alone", "in_store", "over")}

    def grow(position: Position, ply: int) -> None:
        if ply > depth:
            return
        for pit in legal(rules, position):
            sown = sow(rules, position, pit)
            after = after_passes(rules, sown.position)
            counts["nodes"][ply] += 1
            counts["captures"][ply] += sown.captured > 0
            counts["alone"][ply] += sown.captured == 1
            counts["in_store"][ply] += sown.in_store
            if end_of_round(rules, after):
                counts["over"][ply] += 1
            else:
                grow(after, ply + 1)

    grow(position, 1)
    return counts


SLAMS: dict[str, dict[str, Value]] = {
    "0": {"capture.grand_slam": "allowed", "play.must_feed": "unless-only"},
    "1": {"capture.grand_slam": "no-capture", "play.must_feed": "when-empty"},
    "2": {"capture.grand_slam": "allowed", "play.must_feed": "when-empty"},
    "3": {"capture.grand_slam": "forbidden", "play.must_feed": "when-empty"},
}


def oware(slam: str) -> Rules:
    """Oware without the ends that counting trees leaves out."""
    keys: dict[str, Value] = {"end.win_seeds": "none", "end.repetition": "none"}
    return load_variant("oware", {**keys, **SLAMS[slam]}).rules


def small_kalah_or_sungka(row: dict[str, str]) -> Rules:
    keys: dict[str, Value] = {"board.pits": int(row["m"]), "board.seeds": int(row["n"])}
    return load_variant(row["game"], {**keys, "capture.needs_opposite": row["opt"] == "0"}).rules


def by_tree(name: str, *columns: str) -> list[Any]:
    """The rows of a table, those of one tree together: a quick part and the deeper, slow one."""
    trees: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in table(name):
        trees.setdefault(tuple(row[column] for column in columns), []).append(row)
    parts: list[Any] = []
    for key, rows in trees.items():
        quick = [row for row in rows if int(row["nodes"]) <= QUICK]
        parts.append(pytest.param(quick, id="-".join(key)))
        if len(quick) < len(rows):
            slow = [row for row in rows if row not in quick]
            deep = "-".join([*key, "deep"])
            parts.append(pytest.param(slow, id=deep, marks=pytest.mark.slow))
    return parts


def over_before(counts: Tree, depth: int) -> int:
    """Games that were over before this depth, and so have no leaf there."""
    return sum(count for ply, count in counts["over"].items() if ply < depth)


def deepest(rows: list[dict[str, str]]) -> int:
    return max(int(row["depth"]) for row in rows)


@pytest.mark.parametrize("rows", by_tree("perft_oware_start.csv", "grand_slam_variant"))
def test_oware_from_the_start(rows: list[dict[str, str]]) -> None:
    rules = oware(rows[0]["grand_slam_variant"])
    counts = tree(rules, start_of(rules), deepest(rows))
    for row in rows:
        depth = int(row["depth"])
        assert counts["nodes"][depth] == int(row["nodes"])
        assert counts["captures"][depth] == int(row["captures_at_leaf"])
        assert over_before(counts, depth) == int(row["terminals_met"])


@pytest.mark.parametrize(
    "rows",
    by_tree("perft_oware_positions.csv", "position_mover_first_12pits", "grand_slam_variant"),
)
def test_oware_from_positions_where_the_rules_differ(rows: list[dict[str, str]]) -> None:
    rules = oware(rows[0]["grand_slam_variant"])
    pits = [int(seeds) for seeds in rows[0]["position_mover_first_12pits"].split("-")]
    assert sum(pits) == int(rows[0]["seeds"])
    counts = tree(rules, Position.of([pits[:6], pits[6:]], (0, 0), 0), deepest(rows))
    assert {int(row["depth"]): int(row["nodes"]) for row in rows} == {
        depth: counts["nodes"][depth] for depth in map(int, (row["depth"] for row in rows))
    }


@pytest.mark.parametrize("rows", by_tree("perft_kalah_sungka.csv", "game", "m", "n", "opt"))
def test_kalah_and_sungka_from_the_start(rows: list[dict[str, str]]) -> None:
    rules = small_kalah_or_sungka(rows[0])
    counts = tree(rules, start_of(rules), deepest(rows))
    for row in rows:
        depth = int(row["depth"])
        # Where an empty facing pit is no hindrance, the table leaves out single seeds.
        alone = counts["alone"][depth] if row["opt"] == "1" else 0
        assert counts["nodes"][depth] == int(row["nodes"])
        assert counts["captures"][depth] - alone == int(row["captures_at_leaf"])
        assert counts["in_store"][depth] == int(row["extra_turns_at_leaf"])
        assert over_before(counts, depth) == int(row["terminals_met"])


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id="-".join([row["m"], row["n"], row["first_pit_1based"]]))
        for row in table("sungka_first_move.csv")
    ],
)
def test_first_moves_of_sungka(row: dict[str, str]) -> None:
    keys: dict[str, Value] = {"board.pits": int(row["m"]), "board.seeds": int(row["n"])}
    rules = load_variant("sungka", keys).rules
    sown = sow(rules, start_of(rules), int(row["first_pit_1based"]) - 1)
    rows = [[int(seeds) for seeds in row[name].split("-")] for name in ("own_pits", "opp_pits")]
    to_move = 0 if row["end"] == "store" else 1
    assert sown.position == Position.of(rows, (int(row["store"]), 0), to_move)
    assert sown.laps == int(row["laps"])
    assert sown.in_store == (row["end"] == "store")
    assert (sown.captured > 0) == (row["end"] == "capture")
