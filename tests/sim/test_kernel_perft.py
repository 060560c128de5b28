"""Leaf counts of the compiled kernel equal those of independent programs (`data/perft_*.csv`)."""

import csv
from pathlib import Path
from typing import Any

import numba
import pytest

from sim.kernel.moves import IN_STORE, legal, moved
from sim.kernel.rounds import GOING_ON, judged
from sim.kernel.rows import U0, U1, U
from sim.presets import load_variant
from sim.rules import Rules, Value
from sim.tables import packed, tables, words_of

DATA = Path(__file__).parents[2] / "data"
SLAMS: dict[str, tuple[str, dict[str, Value]]] = {
    "0": ("awari", {}),
    "1": ("oware", {}),
    "2": ("oware", {"capture.grand_slam": "allowed"}),
    "3": ("oware", {"capture.grand_slam": "forbidden"}),
}
UNBOUNDED: dict[str, Value] = {"end.win_seeds": "none", "end.repetition": "none"}


@numba.njit(error_model="numpy")
def leaves(t: Any, me: Any, opp: Any, depth: int) -> int:
    """Count the positions after `depth` plies; a finished game has none below it."""
    count = 0
    pits = legal(t, U0, me, opp)
    for i in range(12):
        if (pits >> U(i)) & U1 != U0:
            if depth == 1:
                count += 1
                continue
            mine, other, cell, _, _, _ = moved(t, U0, me, opp, U(i))
            if not (t.rule.extra_turn and (cell & IN_STORE) == IN_STORE):
                mine, other = other, mine
            reason, passes = judged(t, mine, other)
            if reason == GOING_ON:
                if passes:
                    mine, other = other, mine
                count += leaves(t, mine, other, depth - 1)
    return count


def rows_of(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((DATA / name).read_text().splitlines()))


def kernel_leaves(rules: Rules, depth: int, rows: list[list[int]] | None = None) -> int:
    me, opp = (packed(row, words_of(rules.board.pits)) for row in rows or rules.start)
    return int(leaves(tables(rules), me, opp, depth))


@pytest.mark.parametrize("row", rows_of("perft_kalah_sungka.csv"), ids=lambda row: "-".join(
    [row["game"], row["m"], row["n"], row["opt"], row["depth"]]))  # fmt: skip
def test_kalah_and_sungka(row: dict[str, str]) -> None:
    keys: dict[str, Value] = {"board.pits": int(row["m"]), "board.seeds": int(row["n"])}
    if row["opt"] == "1":
        keys["capture.needs_opposite"] = False
    rules = load_variant(row["game"], keys).rules
    assert kernel_leaves(rules, int(row["depth"])) == int(row["nodes"])


@pytest.mark.parametrize("row", rows_of("perft_oware_start.csv"), ids=lambda row: "-".join(
    [row["grand_slam_variant"], row["depth"]]))  # fmt: skip
def test_oware_from_the_start(row: dict[str, str]) -> None:
    name, keys = SLAMS[row["grand_slam_variant"]]
    assert kernel_leaves(load_variant(name, keys).rules, int(row["depth"])) == int(row["nodes"])


@pytest.mark.parametrize("row", rows_of("perft_oware_positions.csv"), ids=lambda row: "-".join(
    [row["position_mover_first_12pits"], row["grand_slam_variant"], row["depth"]]))  # fmt: skip
def test_oware_from_positions(row: dict[str, str]) -> None:
    name, keys = SLAMS[row["grand_slam_variant"]]
    cells = [int(n) for n in row["position_mover_first_12pits"].split("-")]
    rules = load_variant(name, keys | UNBOUNDED).rules
    rows = [cells[:6], cells[6:]]
    assert kernel_leaves(rules, int(row["depth"]), rows) == int(row["nodes"])
