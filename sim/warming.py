"""Compiles the kernel, once on a machine, before threads or processes would do so side by side."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from functools import partial

import numpy as np
from filelock import FileLock, Timeout

from sim.agents import Agent
from sim.games import in_step, play, replay
from sim.kernel.jit import FOLDER
from sim.rules import Rules
from sim.tables import words_of

WAIT_SECONDS = 300


def warm_play(
    cells: Iterable[tuple[Rules, tuple[Agent, Agent]]], tell: Callable[[str], None]
) -> None:
    """Compile what playing these rules with these players needs and no more, or load it.

    `tell` is told before something is compiled.
    """
    kinds = {}
    for rules, agents in cells:
        words = words_of(rules.board.pits)
        kinds[f"play-{words}-{'step' if in_step(agents) else 'one'}"] = rules, agents
    for kind, (rules, agents) in kinds.items():
        _ready(kind, partial(play, rules, agents, 0, 0, 1), tell)


def warm_replay(every: Iterable[Rules], tell: Callable[[str], None]) -> None:
    """Compile what replaying games of these rules needs, or load it."""
    kinds = {f"replay-{words_of(rules.board.pits)}": rules for rules in every}
    nothing = np.zeros(0, np.uint8), np.zeros(1, np.int64)  # no game at all
    for kind, rules in kinds.items():
        _ready(kind, partial(replay, rules, *nothing), tell)


def _ready(kind: str, use: Callable[[], object], tell: Callable[[str], None]) -> None:
    """Use a part of the kernel for the first time, alone if it has to be compiled.

    A file beside the compiled code says that the part is there. Processes that start together
    wait for the first rather than compile too; where no lock can be had they all compile.
    """
    mark = FOLDER / f"{kind}.ready"
    if mark.exists():
        use()
        return
    with ExitStack() as stack:
        with suppress(OSError, Timeout):
            stack.enter_context(FileLock(FOLDER / "warming.lock").acquire(timeout=WAIT_SECONDS))
        if not mark.exists():
            tell("compiling for this machine, once: some ten seconds")
        use()
        with suppress(OSError):
            mark.touch()
