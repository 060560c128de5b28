"""The players that `--agent` names, one a file."""

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from sim.agents.agent import Agent, Chooser
from sim.agents.greedy import Greedy
from sim.agents.mcts import Mcts
from sim.agents.minimax import Minimax
from sim.agents.own import Own
from sim.agents.perfect import Perfect
from sim.agents.random import Random
from sim.agents.source import Source, read_source
from sim.errors import UserError, brief, did_you_mean, shown

__all__ = ["PLAYERS", "Agent", "Chooser", "parse_agent"]

PLAYERS: dict[str, type[Agent]] = {
    player.name: player for player in (Random, Greedy, Minimax, Mcts, Perfect)
}
"""Each player by its name. One's own, from a file, are `Own`."""


def parse_agent(spec: str, find: Callable[[str], Source] | None = None) -> Agent:
    """Read an agent's spec, `NAME`, `NAME:MAIN,OPTION=VALUE` or `FILE.py:NAME`.

    `find` brings the source of a file; without it, `FILE.py:NAME` is a file in the current folder,
    and `FILE.py:NAME#SEAL`, as `text` has it, needs none to be named. Raises `UserError` naming
    what is allowed.

    >>> parse_agent("mcts:400,eps=0.050").text
    'mcts:400,eps=0.05'
    """
    own = _OWN.match(spec)
    if own is None or (find is None and own["seal"] is not None):
        return _parsed(spec)
    source = (find or _in_folder)(own["file"])
    if own["seal"] not in (None, source.seal):
        raise UserError(
            f"agent '{brief(spec)}': {source.shown} is another version, #{source.seal}: leave"
            f" #{own['seal']} out to take it"
        )
    if source.path is not None:  # one that lies in a plan runs when it is to play
        source.function(own["function"])
    rest = spec[own.end() :]
    return _parsed(f"{source.file}:{own['function']}#{source.seal}{rest}")


_OWN = re.compile(r"\s*(?P<file>[^,]*\.py):(?P<function>[^,:#]*?)\s*(?:#(?P<seal>\w*))?\s*(?=,|$)")


def _in_folder(file: str) -> Source:
    return read_source(Path(file))


@lru_cache(maxsize=4096)  # a table of cells names few players in very many rows
def _parsed(spec: str) -> Agent:
    place = f"agent '{brief(spec)}'"
    if own := _OWN.match(spec):
        rest = spec[own.end() :].removeprefix(",")
        return _made(Own, own.groupdict() | _options(Own, rest, place), place)
    name, rest = re.match(r"\s*([^:,]*)[:,]?(.*)", spec, re.DOTALL).groups()  # type: ignore[union-attr]
    name = name.strip()
    if name not in PLAYERS:
        known = ", ".join(PLAYERS)
        raise UserError(
            f"there is no {place}{did_you_mean(name, PLAYERS)}; give one of {known}, or a"
            " function of your own as my_file.py:name"
        )
    player = PLAYERS[name]
    return _made(player, _options(player, rest, place), place)


def _options(player: type[Agent], text: str, place: str) -> dict[str, str]:
    """Split `MAIN,OPTION=VALUE,…` into options by name."""
    options: dict[str, str] = {}
    names = [name for name in player.model_fields if name not in ("file", "function", "seal")]
    for i, item in enumerate(filter(None, map(str.strip, text.split(",")))):
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals and i == 0 and player.main:
            name, value = player.main, name
        elif not equals or name not in names:
            raise UserError(
                f"{place}: there is no option '{brief(name)}'{did_you_mean(name, names)};"
                f" {player.name} takes {_listed(player, names)}"
            )
        if name in options:
            raise UserError(f"{place}: {name} is given twice: leave one out")
        options[name] = value
    return options


def _listed(player: type[Agent], names: list[str]) -> str:
    return ", ".join(f"{'NUMBER' if name == player.main else name + '='}" for name in names)


def _made(player: type[Agent], options: dict[str, str], place: str) -> Agent:
    try:
        return player(**options)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        if name not in player.model_fields:
            raise UserError(f"{place}: {first['msg'].removeprefix('Value error, ')}") from None
        allowed = player.model_fields[name].description
        if first["type"] == "missing":
            raise UserError(
                f"{place}: its {name} is missing: write {player.name}:NUMBER, {allowed}"
            ) from None
        raise UserError(
            f"{place}: {name} = {shown(first['input'])[1:-1]} is not allowed: give {allowed}"
        ) from None
