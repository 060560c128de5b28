"""Games solved: the exact value of a start under perfect play, and of each first move.

Where sowing passes the own store, by alpha-beta; elsewhere, where play can go in circles, by an
endgame table of all seeds.
"""

from collections.abc import Callable
from time import monotonic

from sim.aside import aside
from sim.endgames import (
    MEMORY,
    MOST_MEMORY,
    MOST_SEEDS,
    bytes_needed,
    counts,
    endgames,
    look_up,
    solved_rules,
)
from sim.errors import UserError
from sim.referee import Game
from sim.rules import MAX_BOUND, Rules
from sim.solution import FirstMove, Solution
from sim.solve_search import Bounds, FirstMoves

LEAST_MEMORY = 1 << 20  # bytes
Watch = Callable[[str], None]


def solve(
    rules: Rules,
    *,
    memory: int = MEMORY,
    seconds: float = float("inf"),
    nodes: int | None = None,
    watch: Watch = lambda _: None,
) -> Solution:
    """Solve a single round from its start.

    `memory` bounds the bytes that a search remembers positions in, or a table takes to build;
    `seconds` the time, and `nodes` the positions that a search visits. What is not solved within
    these bounds is returned as such. `watch` is told some times a second how far it is.

    Raises `UserError` for a match of several rounds and for memory that is not to be had.

    >>> from sim.presets import load_variant
    >>> solution = solve(load_variant("kalah", {"board.pits": 2, "board.seeds": 2}).rules)
    >>> solution.margin, solution.outcome, solution.best
    (-2, 'loss', (1,))
    """
    began = monotonic()
    by_table, notes = solved_rules(rules)
    if memory < LEAST_MEMORY:
        raise UserError(f"{memory} bytes of memory are too few to solve in: give 1MiB or more")
    game = Game(rules)
    if game.over:
        value = _value(game)
        return _solution(rules, game, {}, (value, value), 0, began)
    try:
        if rules.sowing.own_store:
            return _searched(rules, began, memory, seconds, nodes, watch)
        return _tabulated(by_table, notes, began, memory, seconds, watch)
    except MemoryError:
        raise UserError(
            f"{memory / 2**30:,.1f} GiB of memory are not to be had here: allow less"
        ) from None


def count_endgames(
    rules: Rules, seeds: int, *, memory: int = MEMORY, watch: Watch = lambda _: None
) -> dict[int, dict[int, int]]:
    """Return, by the seeds in the rows, how many positions have which value for the mover.

    As `sim.endgames.counts`, with `watch` as in `solve`.

    >>> from sim.presets import load_variant
    >>> count_endgames(load_variant("awari").rules, 1)
    {0: {0: 1}, 1: {-1: 7, 1: 5}}
    """
    building = _Building()
    work = aside(
        lambda: counts(endgames(rules, seeds, building.tell, memory)),
        lambda: watch(building.told),
        building.stop,
    )
    return work.result()


def table_fits(rules: Rules, memory: int) -> bool:
    """Whether the endgame table of all seeds of these rules may be built.

    >>> from sim.presets import load_variant
    >>> table_fits(load_variant("awari").rules, 1 << 30)
    False
    """
    needed = bytes_needed(rules.board.pits, rules.total)
    return rules.total <= MOST_SEEDS and needed <= min(memory, MOST_MEMORY)


def longest_round(rules: Rules) -> int:
    """Return a number of plies that no round exceeds in which sowing passes the own store.

    Sowing goes towards the mover's store and does not pass it without leaving a seed. So of seeds
    s in the rows, a ply that stores none brings at least one nearer to its row's store, and none
    farther from it; together they are at most (pits - 1) s pits away from those beside the stores.
    Hence also no position comes twice.

    >>> from sim.presets import load_variant
    >>> longest_round(load_variant("kalah").rules)
    5928
    """
    seeds = rules.total
    return seeds + (rules.board.pits - 1) * seeds * (seeds + 1) // 2


def _searched(
    rules: Rules,
    began: float,
    memory: int,
    seconds: float,
    nodes: int | None,
    watch: Watch,
) -> Solution:
    """Solve by alpha-beta."""
    notes = []
    if rules.end.max_plies < longest_round(rules):
        notes.append("end.max_plies is left out: a round may go on to its end.")
    # No position comes twice: see `longest_round`.
    endless = rules.with_keys({"end.repetition": "none", "end.max_plies": MAX_BOUND})
    game = Game(endless)
    search = FirstMoves(endless, game.legal, memory, nodes)

    def tell() -> None:
        rate = search.positions / max(monotonic() - began, 1e-9) / 1e6
        watch(
            f"{search.done} of {len(game.legal)} first moves solved,"
            f" {search.positions:,} positions visited, {rate:.1f} M/s"
        )

    aside(search.run, tell, search.stop, seconds).result()
    why = ""
    if search.done < len(game.legal):
        why = f"not solved within {search.stopped_by or f'{seconds:g} seconds'}"
    return _solution(endless, game, search.bounds, None, search.positions, began, tuple(notes), why)


def _tabulated(
    rules: Rules, notes: list[str], began: float, memory: int, seconds: float, watch: Watch
) -> Solution:
    """Solve by an endgame table of all seeds, which knows what endless play is worth."""
    game, unknown = Game(rules), dict.fromkeys(Game(rules).legal, _unbounded(rules))

    def unsolved(why: str) -> Solution:
        return _solution(rules, game, unknown, None, 0, began, tuple(notes), f"not solved {why}")

    if not table_fits(rules, memory):
        needed, most = bytes_needed(rules.board.pits, rules.total), min(memory, MOST_MEMORY)
        beyond = rules.total > MOST_SEEDS or needed > MOST_MEMORY
        return unsolved(
            f"within {most / 2**20:,.1f} MiB: the endgame table of all {rules.total} seeds takes"
            f" {needed / 2**20:,.1f} MiB{', more than can be built' if beyond else ''}"
        )
    building = _Building()
    work = aside(
        lambda: endgames(rules, rules.total, building.tell, memory),
        lambda: watch(building.told),
        building.stop,
        seconds,
    )
    try:
        e = work.result(timeout=0)
    except (TimeoutError, _StoppedError):
        return unsolved(f"within {seconds:g} seconds: {building.told}; what is built is kept")
    bounds = {}
    for pit in game.legal:
        after = Game(rules)
        after.move(pit)
        value = _value(after)
        if not after.over:
            mover = after.position.to_move
            below, _ = look_up(e, after.position.pits[:: 1 - 2 * mover])
            value += below * (1 - 2 * mover)
        bounds[pit] = value, value
    return _solution(rules, game, bounds, None, len(e.values), began, tuple(notes))


class _StoppedError(Exception):
    """A table's building was stopped."""


class _Building:
    """What is told of a table while it is built, and how that is stopped: between two levels."""

    def __init__(self) -> None:
        self.told, self._stopped = "reading endgames", False

    def tell(self, message: str) -> None:
        if self._stopped:
            raise _StoppedError
        self.told = message

    def stop(self) -> None:
        self._stopped = True


def _value(game: Game) -> int:
    """Return player 0's value of what is in the stores, or of a win where that is all there is."""
    if game.rules.end.goal == "empty-first":
        return 0 if game.winner is None else 1 - 2 * game.winner
    return game.score[0] - game.score[1]


def _unbounded(rules: Rules) -> Bounds:
    most = rules.total if rules.end.goal == "most-seeds" else 1
    return -most, most


def _solution(
    rules: Rules,
    game: Game,
    moves: dict[int, Bounds],
    value: Bounds | None,
    positions: int,
    began: float,
    notes: tuple[str, ...] = (),
    unsolved: str = "",
) -> Solution:
    """Put together what is known; without moves, `value` is the game's."""
    if value is None:
        best = max if game.position.to_move == 0 else min
        value = best(low for low, _ in moves.values()), best(high for _, high in moves.values())
    return Solution(
        solved=not unsolved,
        low=value[0],
        high=value[1],
        in_seeds=rules.end.goal == "most-seeds",
        to_move=game.position.to_move,
        moves=tuple(FirstMove(pit, *bounds) for pit, bounds in sorted(moves.items())),
        positions=positions,
        seconds=monotonic() - began,
        notes=notes,
        unsolved=unsolved,
    )
