"""A plan's grid and cases, expanded to the combinations they stand for."""

import itertools
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.cells import Cell, cell_id, meaning_text
from pipelines.nesting import depth, nesting
from pipelines.squad import Squad
from sim.agents import Agent
from sim.errors import UserError, brief, shown
from sim.presets import Variant
from sim.rules import Group, Rules, Value, impossible

MAX_CELLS = 200_000
PAIRINGS = ("self", "all", "mirror")
DEFAULT_AGENTS = ["random", "random"]

Seats = tuple[Agent, Agent]


@dataclass(frozen=True)
class Combination:
    """One combination of a grid or case: its variant, the keys chosen, its rules and seats."""

    variant: str
    chosen: Mapping[str, Value]
    rules: Rules
    seats: Sequence[Seats]

    @property
    def words(self) -> str:
        """The words that name it."""
        return _words(self.variant, self.chosen)

    def cells(self, opening_plies: int) -> Iterator[Cell]:
        """Yield a cell for each pairing of agents."""
        meaning = meaning_text(self.rules)
        values = tuple(self.rules.flat().values())
        for agents in self.seats:
            ident = cell_id(meaning, agents, opening_plies)
            yield Cell(ident, self.variant, values, agents, opening_plies)


def choices(name: str, value: Any, where: str) -> list[Any]:
    """Return the values that a grid's entry lists for one key; a bare value is a list of one.

    >>> choices("board.pits", [5, 6], "plan.toml"), choices("capture.counts", [2, 3], "plan.toml")
    ([5, 6], [[2, 3]])
    """
    if not isinstance(value, list) or depth(value) <= nesting(name):
        return [value]
    if not value:
        raise UserError(f"{where}: {name} is an empty list, so there is nothing to play: fill it")
    return list(value)


def combinations(
    variants: Sequence[Variant], keys: Mapping[str, list[Value]], seats: Sequence[Seats], where: str
) -> Iterator[Combination]:
    """Yield the product of variants and key values, the last key changing fastest.

    Raises `UserError` naming `where` and the combination when that is no possible game.
    """
    for variant in variants:
        chooser = _Chooser(variant, where)
        for values in itertools.product(*keys.values()):
            chosen = dict(zip(keys, values, strict=True))
            yield Combination(variant.name, chosen, chooser.rules(chosen), seats)


class _Chooser:
    """Builds a variant's rules with some keys replaced, many times over.

    What a group of keys allows depends on that group alone, so a group that was checked once is
    taken again; what groups may contradict each other in is asked of each combination.
    """

    def __init__(self, variant: Variant, where: str) -> None:
        self._variant, self._where = variant, where
        self._unchanged: dict[str, Any] = dict(variant.rules)
        self._groups: dict[tuple[str, Hashable], Group] = {}

    def rules(self, chosen: Mapping[str, Value]) -> Rules:
        """Return the rules. Raises `UserError` naming the combination that is no game."""
        if not chosen:
            return self._variant.rules
        by_group: dict[str, list[Hashable]] = {}
        for name, value in chosen.items():
            by_group.setdefault(name.partition(".")[0], []).append((name, _typed(value)))
        marks = [(group, tuple(values)) for group, values in by_group.items()]
        known: dict[str, Any] = {
            mark[0]: self._groups[mark] for mark in marks if mark in self._groups
        }
        if len(known) == len(marks):
            rules = Rules.model_construct(**{**self._unchanged, **known})
            if problem := impossible(rules):
                raise UserError(f"{self._place(chosen)}: {problem}")
            return rules
        rules = self._variant.rules.with_keys(chosen, self._place(chosen))
        for mark in marks:
            self._groups[mark] = getattr(rules, mark[0])
        return rules

    def _place(self, chosen: Mapping[str, Value]) -> str:
        return f"{self._where} [{_words(self._variant.name, chosen)}]"


def check_size(variants: int, keys: Mapping[str, list[Value]], seats: int, where: str) -> None:
    """Refuse a grid of more than `MAX_CELLS` cells before anything is built."""
    sizes = {"variants": variants, **{k: len(v) for k, v in keys.items()}, "pairings": seats}
    total = math.prod(sizes.values())
    if total > MAX_CELLS:
        product = " × ".join(f"{n:,} {name}" for name, n in sizes.items() if n > 1)
        raise UserError(
            f"{where}: the grid has {total:,} cells ({product}), at most {MAX_CELLS:,} are"
            " allowed: shorten a list or split the plan"
        )


def unique(combos: Iterable[Combination], opening_plies: int) -> tuple[tuple[Cell, ...], str]:
    """Return the cells, each once in order, and a note of those left out, if any."""
    cells: dict[str, Cell] = {}
    repeats, example = 0, ""
    for combo in combos:
        for cell in combo.cells(opening_plies):
            first = cells.setdefault(cell.id, cell)
            if first is not cell:
                repeats += 1
                example = example or f"{combo.words}, {cell.seats} (played as {first.label})"
    those = "combination means" if repeats == 1 else "combinations mean"
    left_out = "is left out" if repeats == 1 else "are left out"
    note = f"{repeats:,} {those} the same as others and {left_out}, as: {example}"
    return tuple(cells.values()), note if repeats else ""


def pair_up(specs: Sequence[str], pairing: str) -> list[list[str]]:
    """Return pairings of agents as pairs of specs, player 0 first.

    `self`: each against itself. `all`: every ordered pair, each against itself included.
    `mirror`: every two different agents, in both seatings.

    >>> pair_up(["random", "greedy"], "mirror")
    [['random', 'greedy'], ['greedy', 'random']]
    """
    specs = list(dict.fromkeys(specs))
    if pairing == "self":
        return [[spec, spec] for spec in specs]
    if pairing == "all":
        return [list(pair) for pair in itertools.product(specs, repeat=2)]
    if pairing != "mirror":
        raise UserError(f"--pairing {pairing}: give {', '.join(PAIRINGS)}")
    if len(specs) < 2:
        raise UserError("--pairing mirror: give at least two different agents with --agent")
    return [pair for a, b in itertools.combinations(specs, 2) for pair in ([a, b], [b, a])]


def parse_seats(value: Any, squad: Squad, where: str) -> list[Seats]:
    """Parse a plan's `agents`: a list of pairs of agents, player 0 first."""
    pairs = value if isinstance(value, list) else [value]
    if not pairs:
        raise UserError(f"{where}: agents is an empty list, so there is nothing to play: fill it")
    return [parse_pair(pair, squad, where) for pair in pairs]


def parse_pair(pair: Any, squad: Squad, where: str) -> Seats:
    """Parse one pair of agents, player 0 first."""
    if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(a, str) for a in pair)):
        raise UserError(
            f"{where}: agents: {shown(pair)} is no pair of agents: write"
            ' agents = [["random", "greedy"]] in a grid, ["random", "greedy"] in a case'
        )
    try:
        return squad.find(pair[0]), squad.find(pair[1])
    except UserError as error:
        raise UserError(f"{where}: agents: {error}") from None


def _typed(value: Any) -> Hashable:
    """Return what tells a value from all others, also `True` from 1, which are equal."""
    if isinstance(value, list):
        return tuple(map(_typed, value))
    return type(value), value if isinstance(value, bool | int | str) else id(value)


def _words(variant: str, chosen: Mapping[str, Value]) -> str:
    return ", ".join([variant, *(f"{name} = {_shown(value)}" for name, value in chosen.items())])


def _shown(value: Value) -> str:
    return brief(value) if isinstance(value, str) else shown(value)
