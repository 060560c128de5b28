"""Plans: what to play, how often and from which seed, as TOML or from options."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from pipelines.cells import Cell
from pipelines.grid import (
    DEFAULT_AGENTS,
    Combination,
    check_size,
    choices,
    combinations,
    parse_pair,
    parse_seats,
    unique,
)
from pipelines.logs import SEARCH, Log, output_of, parse_output
from pipelines.places import check_reach, is_remote
from pipelines.roster import Roster
from pipelines.squad import Squad
from pipelines.stopping import Stop, check_budget, parse_stop, table_of
from sim import toml
from sim.errors import UserError, brief, did_you_mean, shown
from sim.presets import flatten
from sim.rules import KEYS, Value

DEFAULT_GAMES = 10_000
MAX_GAMES = 10**12
MAX_SEED = 2**63 - 1
MAX_OPENING = 1_000

_ENTRIES = (
    "seed", "games", "opening_plies", "grid", "case", "stop", "output", "variants", "players"
)  # fmt: skip
_HEAD = "# What this dataset plays: `mancalab run --plan plan.toml --out .` goes on with it.\n\n"


@dataclass(frozen=True)
class Plan:
    """Cells to play, `games` games each, numbered from 0, from `seed`; with `stop`, at least.

    `document` is the plan as TOML tables, which stand alone: rules and players that came from files
    lie in it. `note` says which combinations mean what another does, and are not played twice.
    Of `share`, (i, n), the i-th of n shares is played, each of whole cells.
    """

    seed: int
    games: int
    log: Log
    cells: tuple[Cell, ...]
    document: Mapping[str, Any]
    note: str = ""
    stop: Stop | None = None
    share: tuple[int, int] = (1, 1)

    @cached_property
    def shared(self) -> tuple[Cell, ...]:
        """The cells of the share that is played, in the order of their ids."""
        number, shares = self.share
        return tuple(sorted(self.cells, key=lambda cell: cell.id)[number - 1 :: shares])

    @property
    def total(self) -> int:
        """Games in all cells, before any is judged."""
        return self.games * len(self.cells)

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of the cells."""
        return frozenset(cell.id for cell in self.cells)

    @cached_property
    def text(self) -> str:
        """The plan as TOML."""
        return _HEAD + toml.dumps(self.document)


def read_plan(path: Path) -> Plan:
    """Read a plan. Raises `UserError` naming the file, the key and the mend."""
    check_reach(path)
    return parse_plan(toml.read(path), str(path), path.parent)


def parse_plan(document: Mapping[str, Any], where: str, base: Path) -> Plan:
    """Build a plan from TOML tables.

    `where` names the source in errors; variant files are sought from `base`, or if that is remote
    from the folder of this process. Raises `UserError` naming the key or the combination, before
    anything is played.
    """
    base = Path() if is_remote(base) else base
    if "merged" in document:
        raise UserError(
            f"{where}: several plans, merged, which no run goes on with: give one of them as a plan"
        )
    for entry in document:
        _check_entry(entry, where)
    seed = _number(document.get("seed", 0), range(MAX_SEED + 1), f"{where}: seed")
    given = document.get("games")
    if given is not None:
        given = _number(given, range(1, MAX_GAMES + 1), f"{where}: games")
    stop = parse_stop(document.get("stop"), given, DEFAULT_GAMES, MAX_GAMES, where)
    games = stop.least if stop else given or DEFAULT_GAMES
    opening = document.get("opening_plies", 0)
    opening = _number(opening, range(MAX_OPENING + 1), f"{where}: opening_plies")
    log = parse_output(document.get("output", {}), where)
    roster = Roster(document.get("variants", {}), where, base)
    squad = Squad(document.get("players", {}), where, base)
    grid, grid_table = _grid(document.get("grid"), roster, squad, f"{where}: grid")
    cases, case_tables = _cases(document.get("case", []), roster, squad, where)
    if not grid_table and not case_tables:
        raise UserError(f"{where}: nothing to play: add [grid] with variant = [...], or a [[case]]")
    cells, note = unique(chain(grid, cases), opening)  # one by one: there may be very many
    check_budget(stop, len(cells), where)
    standing: dict[str, Any] = {"seed": seed, "games": games}
    if opening:
        standing["opening_plies"] = opening
    tables = {
        "grid": grid_table,
        "case": case_tables,
        "stop": table_of(stop) if stop else {},
        "output": output_of("moves" if log == SEARCH else log, search=log == SEARCH),
        "variants": roster.tables(),
        "players": squad.table(),
    }
    standing |= {name: table for name, table in tables.items() if table}
    return Plan(seed, games, log, cells, standing, note, stop)


def document_of(
    variants: Sequence[str],
    keys: Mapping[str, list[Value]],
    pairs: Sequence[Sequence[str]],
    *,
    seed: int,
    games: int | None,
    log: str,
    search: bool = False,
    opening_plies: int = 0,
    stop: Mapping[str, Any] = {},
) -> dict[str, Any]:
    """Return the command line's options as a plan's tables, for `parse_plan`."""
    grid = {"variant": list(variants), **keys, "agents": [list(pair) for pair in pairs]}
    numbers = {"seed": seed, "opening_plies": opening_plies}
    numbers |= {} if games is None else {"games": games}
    tables = {"grid": grid, "output": output_of(log, search=search)}
    return {**numbers, **tables, **({"stop": dict(stop)} if stop else {})}


def _check_entry(entry: str, where: str) -> None:
    if entry not in _ENTRIES:
        raise UserError(
            f"{where}: there is no entry '{brief(entry)}' in a plan{did_you_mean(entry, _ENTRIES)};"
            f" it has {', '.join(_ENTRIES)}"
        )


def _number(value: Any, span: range, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value not in span:
        bounds = f"an integer from {span.start:,} to {span.stop - 1:,}"
        raise UserError(f"{where} = {shown(value)} is not allowed: give {bounds}")
    return value


def _grid(
    table: Any, roster: Roster, squad: Squad, where: str
) -> tuple[Iterator[Combination], dict[str, Any]]:
    """Return a grid's combinations and its table, variants and players under their names."""
    if table is None:
        return iter(()), {}
    if not isinstance(table, Mapping):
        raise UserError(f"{where} must be a table of lists: [grid] with variant = [...]")
    entries: dict[str, Any] = dict(flatten(table, where))
    if "variant" not in entries:
        raise UserError(f'{where}: variant is missing: give variant = ["kalah", ...]')
    variants = [roster.find(v) for v in choices("variant", entries.pop("variant"), where)]
    pairs = entries.pop("agents", [DEFAULT_AGENTS])
    seats = parse_seats(pairs, squad, where)
    pairs = squad.named(pairs)
    keys = {name: choices(_key(name, where), value, where) for name, value in entries.items()}
    check_size(len(variants), keys, len(seats), where)
    names = [variant.name for variant in variants]
    return combinations(variants, keys, seats, where), {"variant": names, **keys, "agents": pairs}


def _cases(
    tables: Any, roster: Roster, squad: Squad, where: str
) -> tuple[list[Combination], list[dict[str, Any]]]:
    """Return the cases' combinations and their tables, variants and players under their names."""
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        raise UserError(f"{where}: case must be written [[case]], once for each cell")
    combos: list[Combination] = []
    kept = []
    for number, table in enumerate(tables, 1):
        place = f"{where}: case {number}"
        keys: dict[str, Any] = dict(flatten(table, place))
        if "variant" not in keys:
            raise UserError(f'{place}: variant is missing: give variant = "kalah"')
        variant = roster.find(keys.pop("variant"))
        pair = keys.pop("agents", DEFAULT_AGENTS)
        seats = [parse_pair(pair, squad, place)]
        for name in keys:
            _key(name, place)
        combos += combinations([variant], {k: [v] for k, v in keys.items()}, seats, place)
        kept.append({"variant": variant.name, **keys, "agents": squad.named(pair)})
    return combos, kept


def _key(name: str, where: str) -> str:
    if name in KEYS:
        return name
    known = [*KEYS, "variant", "agents"]
    raise UserError(
        f"{where}: there is no rule key '{brief(name)}'{did_you_mean(name, known)};"
        " `mancalab variants keys` lists them"
    )
