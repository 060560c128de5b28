"""Logged rounds: what is packed is unpacked, and damage is told."""

import numpy as np
import pyarrow as pa
import pytest
from made import cell

from pipelines.packed_rounds import PACKED, pack_rounds, rounds_of, unpack_rounds
from sim.kernel.names import REASONS
from sim.playing import play


def test_a_matchs_rounds_are_unpacked_as_they_were_played() -> None:
    match = cell("sungka", match_kind="sunog", match_max_rounds=5)
    games = play(match.rules, match.agents, key=1, first=0, count=30)
    lists = unpack_rounds(pack_rounds(games)).to_pylist()
    assert [len(rounds) for rounds in lists] == games.rounds.tolist()
    flat = [round_ for rounds in lists for round_ in rounds]
    assert [r["plies"] for r in flat] == games.round_plies.tolist()
    assert [r["score1"] for r in flat] == games.round_scores[:, 1].tolist()
    assert [r["burnt0"] for r in flat] == games.round_burnt[:, 0].tolist()
    assert [REASONS.index(r["reason"]) for r in flat] == games.round_reason.tolist()
    winners = [-1 if r["winner"] is None else r["winner"] for r in flat]
    assert winners == games.round_winner.tolist()


def test_a_slice_and_nulls() -> None:
    one = np.array([(0, 5, 3, 0, 9, 1, 0, 0)], PACKED).tobytes()
    column = pa.array([one, None, one + one, b""])
    rounds, offsets = rounds_of(column.slice(1, 3))
    assert offsets.tolist() == [0, 0, 2, 2]
    assert rounds["plies"].tolist() == [9, 9]


@pytest.mark.parametrize("damage", [b"short", np.array([(0,) * 5 + (99, 0, 0)], PACKED).tobytes()])
def test_bytes_that_are_no_rounds(damage: bytes) -> None:
    with pytest.raises(ValueError, match="its rounds are damaged"):
        rounds_of(pa.array([damage]))
