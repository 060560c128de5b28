"""A player of one's own: a Python function in a file."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import Field

from sim.agents.agent import Agent, spelled
from sim.agents.random import Random
from sim.agents.source import Source, known_source, source_of
from sim.errors import UserError, brief, guarded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sim.agents.agent import Chooser
    from sim.agents.view import View
    from sim.kernel.sitting import Sitting
    from sim.rules import Rules

GOLDEN = 0x9E3779B97F4A7C15  # as in `sim.kernel.choose`
MASK = 2**64 - 1


class Own(Agent):
    """A Python function that is asked for each move.

    It gets a `sim.agents.view.View` and returns a pit, or a pit and what it thinks it worth. It is
    called by one thread at a time. `seal` says which version of the file is meant.
    """

    name = "own"
    about = "a function of one's own in a Python file"

    file: str = Field(description="a Python file's name")
    function: str = Field(description="the name of a function in the file")
    seal: str = Field(description="the first digits of the hash of the file's bytes")

    def __reduce__(self) -> tuple[Callable[..., Own], tuple[dict[str, Any], Source | None]]:
        """Travel with the file: a process elsewhere has not read it."""
        return _arrived, (self.model_dump(), source_of(self.seal))

    @property
    def text(self) -> str:
        """See `Agent.text`."""
        eps = f",eps={spelled(self.eps)}" if self.eps else ""
        return f"{self.file}:{self.function}#{self.seal}{eps}"

    def quick(self) -> Agent:
        """See `Agent.quick`: what is compiled is what moves the game on."""
        return Random(eps=self.slips)

    @property
    def weight(self) -> float:
        """See `Agent.weight`: most of a millisecond, as Python takes for a look or two ahead."""
        return 50_000.0

    def chooser(self, rules: Rules) -> Chooser:
        """See `Agent.chooser`. Raises `UserError` where the file is not at hand."""
        if source := source_of(self.seal):
            return OwnChooser(source, self.function, rules)
        raise UserError(
            f"agent '{self.text}': its file is not at hand: run the dataset's plan, which holds it,"
            f" or name the file without #{self.seal}"
        )


def _arrived(fields: dict[str, Any], source: Source | None) -> Own:
    if source:
        known_source(source)
    return Own(**fields)


class OwnChooser:
    """See `Own`."""

    def __init__(self, source: Source, function: str, rules: Rules) -> None:
        self._source, self._name, self._rules = source, function, rules
        self._choose = source.function(function)

    def choose(self, sitting: Sitting, games: NDArray[np.int64]) -> None:
        """See `Chooser.choose`."""
        for g in games.tolist():
            stream = (int(sitting.stream[g]) + GOLDEN) & MASK
            sitting.stream[g] = stream
            view = seen(sitting, g, self._rules, stream)
            pit, worth = self._asked(view, sitting, g)
            sitting.pit[g], sitting.worth[g], sitting.nodes[g] = pit, worth, 0

    def _asked(self, view: View, sitting: Sitting, g: int) -> tuple[int, float]:
        try:
            with self._source.lock:
                answer = self._choose(view)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a function may raise, `SystemExit` too
            said = f"{self._source.line_of(error)}, in {self._name}"
            raise UserError(f"{said} at {_place(view, sitting, g)}") from None
        pit, worth = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, None)
        number = _integer(pit)
        if number not in view.legal:
            raise UserError(
                f"{self._said(answer)} at {_place(view, sitting, g)}:"
                f" it has to return one of the legal pits {', '.join(map(str, view.legal))}"
            )
        try:
            return number, float("nan") if worth is None else _narrow(float(worth))
        except Exception:  # of code of the user's, `__float__`
            raise UserError(
                f"{self._said(answer)}: a pit's worth has to be a number below 1e38"
            ) from None

    def _said(self, answer: Any) -> str:
        return f"{self._source.shown}: {self._name} answers {brief(guarded(repr, answer))}"


def seen(sitting: Sitting, g: int, rules: Rules, stream: int) -> View:
    """Return what the player to move sees in game g of a sitting."""
    from sim.agents.view import View

    pits, player = rules.board.pits, int(sitting.player[g])
    half = len(sitting.rows) // (2 * len(sitting.player))  # words a row
    rows = sitting.rows[2 * half * g : 2 * half * (g + 1)].tobytes()
    mine, other = rows[: 8 * half], rows[8 * half :]
    closed = [_closed(rules, int(count)) for count in sitting.closed[g]]
    mask = int(sitting.legal[g])
    return View(
        pits=tuple(mine[:pits]),
        other_pits=tuple(other[:pits]),
        store=mine[-1],
        other_store=other[-1],
        closed=closed[player],
        other_closed=closed[1 - player],
        legal=tuple(pit for pit in range(pits) if mask >> pit & 1),
        player=player,
        ply=int(sitting.made[g]) + 1,
        round=int(sitting.rounds[g]) + 1,
        rules=rules,
        chance=lru_cache(lambda: random.Random(stream)),
    )


def _closed(rules: Rules, count: int) -> tuple[int, ...]:
    """Return which pits are closed: those that are filled last."""
    pits = rules.board.pits
    first = 0 if rules.match.fill_from == "near" else pits - count
    return tuple(range(first, first + count))


def _integer(value: Any) -> int | None:
    """Return a whole number, of whatever library; `True` is none."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return None
    try:
        return int(value.__index__())
    except Exception:  # arrays have the method, and most of them are no number
        return None


def _narrow(worth: float) -> float:
    """Return a worth that is logged in 32 bits. Raises `OverflowError` where they do not do."""
    if math.isfinite(worth) and abs(worth) >= 1e38:
        raise OverflowError
    return worth


def _place(view: View, sitting: Sitting, g: int) -> str:
    rows = f"{' '.join(map(str, view.pits))} | {' '.join(map(str, view.other_pits))}"
    moves = " ".join(map(str, sitting.moves[g, : view.ply - 1].tolist()))
    so_far = f', after "{moves}"' if moves else ""
    return (
        f"ply {view.ply} (own pits | other's: {rows}, stores {view.store} and"
        f" {view.other_store}{so_far})"
    )
