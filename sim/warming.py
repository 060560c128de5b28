"""Compiles the kernel, once on a machine, before threads or processes would do so side by side."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from functools import partial

import numpy as np
from filelock import FileLock, Timeout

from sim.agents import Agent
from sim.agents.random import Random
from sim.games import replay
from sim.interrupts import heard
from sim.kernel.jit import FOLDER
from sim.packing import pack
from sim.playing import in_step, play
from sim.rules import Rules
from sim.sittings import Opening, Table
from sim.tables import words_of

WAIT_SECONDS = 300
NOTHING = np.zeros(0, np.uint8), np.zeros(1, np.int64)  # the moves of no game at all


def warm_play(
    cells: Iterable[tuple[Rules, tuple[Agent, Agent], Opening]],
    tell: Callable[[str], None],
    *,
    packing: bool = False,
) -> None:
    """Compile what playing these rules, players and openings needs and no more, or load it.

    With `packing`, what packing their moves needs too. `tell` is told before something is compiled.
    """
    parts: dict[str, Callable[[], object]] = {}
    for rules, agents, opening in cells:
        words = words_of(rules.board.pits)
        if in_step(agents, opening):
            parts[f"play-{words}-step"] = partial(play, rules, agents, 0, 0, 1)
            continue
        parts[f"replay-{words}"] = partial(replay, rules, *NOTHING)
        for agent in agents:
            quick = agent.quick()
            parts[f"choose-{words}-{quick.text}"] = partial(_first_move, rules, quick)
        if opening.plies:
            parts[f"choose-{words}-random"] = partial(_first_move, rules, Random())
    if packing:
        parts["packing"] = partial(pack, *NOTHING)
    _warm(parts, tell)


def warm_replay(every: Iterable[Rules], tell: Callable[[str], None]) -> None:
    """Compile what replaying games of these rules needs, or load it."""
    kinds = {f"replay-{words_of(rules.board.pits)}": rules for rules in every}
    _warm({kind: partial(replay, rules, *NOTHING) for kind, rules in kinds.items()}, tell)


def warm_solve(rules: Rules, tell: Callable[[str], None], *, by_table: bool = False) -> None:
    """Compile what solving these rules needs, by a search or by an endgame table, or load it."""
    from sim.endgames import endgames  # here: playing needs neither
    from sim.solve import solve

    pits = rules.board.pits
    tiny = Rules.of({"board.pits": pits, "board.seeds": 1})
    search, table = partial(solve, tiny, nodes=1), partial(endgames, rules, 1)
    kind = f"{'endgames' if by_table else 'solve'}-{words_of(pits)}"
    _warm({kind: table if by_table else search}, tell)


def _first_move(rules: Rules, agent: Agent) -> None:
    """Have a player choose once: a whole game of one that searches would take long."""
    table = Table(rules, (agent, agent), 0, 0, 1)
    if len(games := table.going()):
        table.choose(games)
        table.move(games)


def _warm(parts: Mapping[str, Callable[[], object]], tell: Callable[[str], None]) -> None:
    """Use parts of the kernel for the first time, alone if they have to be compiled.

    A file beside the compiled code says that a part is there. Processes that start together wait
    for the first rather than compile too; where no lock can be had they all compile.
    """
    marks = [FOLDER / f"{kind}.ready" for kind in parts]
    with heard(), ExitStack() as stack:
        if not all(mark.exists() for mark in marks):
            with suppress(OSError, Timeout):
                lock = FileLock(FOLDER / "warming.lock")
                stack.enter_context(lock.acquire(timeout=WAIT_SECONDS))
            if not all(mark.exists() for mark in marks):
                tell("compiling for this machine, once: ten to thirty seconds")
        for mark, use in zip(marks, parts.values(), strict=True):
            use()
            if not mark.exists():
                with suppress(OSError):
                    mark.touch()
