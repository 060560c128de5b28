"""`mancalab agents`: the players and their options."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from pipelines.messages import folded

if TYPE_CHECKING:
    from sim.agents import Agent

WIDTH = 18  # of the column of names


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(agents)


def agents() -> None:
    """List the players that `--agent` takes, and their options."""
    from sim.agents import PLAYERS
    from sim.agents.own import Own

    for player in PLAYERS.values():
        name = f"{player.name}:{player.main.upper()}" if player.main else player.name
        _show(name, player.about)
        for option in player.model_fields:
            if option != "eps":
                _show_option(player, option)
        print()
    _show("FILE.py:NAME", Own.about)
    print("\nof all players:")
    _show_option(Own, "eps")


def _show(name: str, text: str) -> None:
    print(folded(f"{name:<{WIDTH}}{text}", indent=WIDTH))


def _show_option(player: type[Agent], name: str) -> None:
    from sim.agents.agent import spelled

    field = player.model_fields[name]
    default = "" if field.default is None or field.is_required() else f" [{spelled(field.default)}]"
    spelling = name.upper() if name == player.main else f"{name}="
    _show(f"  {spelling}", f"{field.description}{default}")
