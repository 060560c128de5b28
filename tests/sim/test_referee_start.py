"""Starts given by hand: what is a position, and what is none."""

from typing import Any

import pytest
from boards import three

from sim.errors import UserError
from sim.referee import Game

GOOD: dict[str, Any] = {"pits": [[1, 0, 0], [0, 0, 2]], "stores": [0, 3], "to_move": 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"to_move": 2}, "start.to_move = 2"),
        ({"to_move": True}, "start.to_move = true"),
        ({"to_move": None}, "start.to_move = null"),
        ({"stores": [1]}, "start.stores must be a list of 2"),
        ({"stores": [1, 1.5]}, r"start.stores\[1\] = 1.5"),
        ({"stores": 5}, "start.stores must be"),
        ({"pits": [[1, 0, 0]]}, "start.pits must be two lists of 3"),
        ({"pits": [[1, 0, 0], [0, 0]]}, r"start.pits\[1\] must be a list of 3"),
        ({"pits": [[1, 0, -1], [0, 0, 0]]}, r"start.pits\[0\]\[2\] = -1"),
        ({"pits": [[1, 0, "1"], [0, 0, 0]]}, r'start.pits\[0\]\[2\] = "1"'),
        ({"pits": [[10**5000, 0, 0], [0, 0, 0]]}, "a huge number"),
        ({"pits": [[200, 0, 0], [56, 0, 0]], "stores": [0, 0]}, "256 seeds: at most 255"),
        ({"player": 1}, "start must be an object of pits, stores, to_move"),
    ],
)
def test_a_start_that_is_no_position_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        Game(three(), {**GOOD, **change})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", GOOD)
def test_a_start_needs_all_its_parts(missing: str) -> None:
    with pytest.raises(UserError, match="start must be an object"):
        Game(three(), {name: part for name, part in GOOD.items() if name != missing})
