"""`mancalab agents`: what it lists is what `--agent` takes."""

import re

import pytest
from command import mancalab

from sim.agents import PLAYERS, parse_agent


def test_every_player_and_option_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, told = mancalab(capsys, "agents")
    assert (code, told) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    for name, player in PLAYERS.items():
        [block] = [part for part in out.split("\n\n") if re.match(rf"{name}\b", part)]
        assert player.about.split()[0] in block
        for option in player.model_fields:
            shown = option.upper() if option == player.main else f"{option}="
            assert (f"  {shown}" in block) != (option == "eps")
    assert "FILE.py:NAME" in out
    assert "  eps=" in out


def test_defaults_are_what_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    """A default given outright makes no other player."""
    _, out, _ = mancalab(capsys, "agents")
    for spec in ("greedy:captures=take", "mcts:9,c=0.5,rollout=random", "minimax:3,eval=stores"):
        option, value = spec.rpartition(",")[2].rpartition(":")[2].split("=")
        assert re.search(rf"  {option}= .*(\n  .*)*?\[{value}\]", out)
        bare = re.sub(r"[:,][a-z]+=.*", "", spec)
        assert parse_agent(spec) == parse_agent(bare)
