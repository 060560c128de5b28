"""A plan's players: those of the engine, files, and those whose source the plan itself holds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim.agents import Agent, parse_agent
from sim.agents.own import Own
from sim.agents.source import Source, known_source, read_source
from sim.errors import UserError, brief


class Squad:
    """Finds players by the specs a plan gives them.

    The file of `my.py:name` is an entry `"my.py"` of the plan's `[players]`, or one relative to
    `base`. What is read from files is kept, so that it can be written into the plan that lies
    beside the games.
    """

    def __init__(self, table: Any, where: str, base: Path) -> None:
        self._where, self._base = where, base
        self._sources: dict[str, Source] = {}
        self._named: dict[str, str] = {}
        if not isinstance(table, Mapping) or not all(isinstance(t, str) for t in table.values()):
            raise UserError(
                f'{where}: players must be a table of files and their text: "my.py" = "def ..."'
            )
        for file, text in table.items():
            self._sources[file] = known_source(Source(file, text))

    def find(self, spec: str) -> Agent:
        """Return a player. Raises `UserError` naming the spec and the mend."""
        agent = parse_agent(spec, self._source)
        if not agent.repeats:
            raise UserError(
                f"agent '{brief(spec)}' looks at the clock, so that its games could not be played"
                " again: leave time= out"
            )
        if isinstance(agent, Own):
            self._named[spec] = agent.text
        return agent

    def named(self, pairs: Any) -> Any:
        """Return pairs of specs, those of files under the names that stand for their source."""
        if isinstance(pairs, list):
            return [self.named(pair) for pair in pairs]
        return self._named.get(pairs, pairs)

    def table(self) -> dict[str, str]:
        """Return the sources, as the plan's `[players]` table."""
        return {file: source.text for file, source in self._sources.items()}

    def _source(self, file: str) -> Source:
        if file in self._sources and self._sources[file].path is None:
            return self._sources[file]
        try:
            source = read_source(self._base / file)
        except UserError as error:
            raise UserError(f"{error}: give a Python file as my_file.py:name") from None
        held = self._sources.setdefault(source.file, source)
        if held.seal != source.seal:
            raise UserError(
                f"{source.shown} and {held.shown} are two files of one name: rename one of them"
            )
        return source
