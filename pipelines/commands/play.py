"""`mancalab play`: a game in the terminal, played or watched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.options import (
    BOARD_OPTIONS,
    SetOption,
    VariantArgument,
    board_keys,
    one_each,
    parse_ints,
    parse_set,
)
from sim.errors import UserError

if TYPE_CHECKING:
    from sim.agents import Agent
    from sim.rules import Value

HUMAN = "human"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(play)


def play(
    variant: VariantArgument,
    *,
    south: Annotated[
        str, typer.Option(metavar="A", help="Who begins, below: human or a player.")
    ] = HUMAN,
    north: Annotated[
        str, typer.Option(metavar="A", help="Who sits above: human or a player.")
    ] = "minimax:6",
    pits: Annotated[str | None, typer.Option(metavar="N", help="Pits a player.")] = None,
    seeds: Annotated[str | None, typer.Option(metavar="N", help="Seeds a pit.")] = None,
    set_: SetOption = [],  # noqa: B006  Typer copies it
    seed: Annotated[int, typer.Option(min=0, metavar="S", help="Another seed, other chances.")] = 0,
    opening_plies: Annotated[
        int, typer.Option(min=0, metavar="K", help="So many first plies are drawn.")
    ] = 0,
    hint: Annotated[
        str, typer.Option(metavar="A", help="The player that hints come from.")
    ] = "minimax:8",
) -> None:
    """Play a game in the terminal, against a player or a person, or watch two players.

    Players are spelled as in `run`: greedy, minimax:6, mcts:1000. At the end, or when you leave,
    the moves are printed as a command that replays them.
    """
    from sim.presets import load_variant

    keys = _keys(pits, seeds, set_)
    chosen = load_variant(variant, keys)
    seats = _seated(south, "--south"), _seated(north, "--north")
    adviser = _player(hint, "--hint")

    from pipelines.tabletop.bout import Bout
    from pipelines.tabletop.game import GameInPlay
    from pipelines.tabletop.screen import thought
    from pipelines.tabletop.words import replay_line

    game = thought(lambda: GameInPlay(chosen.rules, seats, seed, opening_plies), "setting up")
    board = f"{chosen.rules.board.pits}×{chosen.rules.board.seeds or 'layout'}"
    bout = Bout(game, adviser, lambda: replay_line(variant, keys, game.referee))
    bout.play(f"{chosen.name} {board}")


def _keys(pits: str | None, seeds: str | None, items: list[str]) -> dict[str, Value]:
    """Return the rule keys that options override, as `replay --set` takes them."""
    keys = one_each(parse_set(items))
    for name, text in board_keys(pits, seeds, keys).items():
        option = BOARD_OPTIONS[name]
        numbers = parse_ints(text, option)
        if len(numbers) != 1:
            raise UserError(f"{option} {text}: a game has one board: give one number")
        keys[name] = numbers[0]
    return keys


def _seated(spec: str, option: str) -> Agent | None:
    return None if spec.strip() == HUMAN else _player(spec, option, f", or {HUMAN}")


def _player(spec: str, option: str, besides: str = "") -> Agent:
    from sim.agents import parse_agent

    try:
        return parse_agent(spec)
    except UserError as error:
        raise UserError(f"{option}: {error}{besides}") from None
