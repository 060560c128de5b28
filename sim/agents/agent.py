"""What all players have in common: how they are named, and how they are asked to move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict, Field, field_validator

if TYPE_CHECKING:  # the compiler, which naming a player does not need
    import numpy as np
    from numpy.typing import NDArray

    from sim.kernel.sitting import Sitting
    from sim.rules import Rules


MOST_TABLE = 40
"""The most seeds of an endgame table that a player may ask for."""


class Chooser(Protocol):
    """A player at work in games of one variant."""

    def choose(self, sitting: Sitting, games: NDArray[np.int64]) -> None:
        """Choose in some games of a sitting, each with a legal move and this player to move.

        Write each game's pit to `sitting.pit`, and what the choice is thought to be worth and the
        positions or simulations it took to `sitting.worth` and `sitting.nodes`. Chance comes from
        `sitting.stream`, which is moved on, so that a game does not depend on those beside it.
        """
        ...


class Agent(BaseModel):
    """A player as a cell names it, with its options.

    A subclass has a field for each option; a field's description says what is allowed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: ClassVar[str]
    about: ClassVar[str]
    """What it does, in a line."""
    main: ClassVar[str | None] = None
    """The option that follows the colon without its name."""

    eps: float = Field(
        0.0, ge=0, le=1, description="the chance of a random move instead, from 0 to 1"
    )

    @field_validator("*")
    @classmethod
    def _as_spelled(cls, value: Any) -> Any:
        """Take a number as its cell names it: what its spelling leaves out must not play along."""
        return float(spelled(value)) if isinstance(value, float) else value

    @property
    def text(self) -> str:
        """The canonical spelling: options that are as they would be anyhow are left out."""
        options = [
            spelled(value) if name == self.main else f"{name}={spelled(value)}"
            for name, value in self.chosen().items()
        ]
        return ":".join([self.name, ",".join(options)]) if options else self.name

    def chosen(self) -> dict[str, Any]:
        """Return the options that are not at their default, the main one first."""
        fields = type(self).model_fields
        values = {name: getattr(self, name) for name in fields}
        order = sorted(fields, key=lambda name: (name != self.main, name == "eps"))
        return {name: values[name] for name in order if values[name] != fields[name].default}

    @property
    def weight(self) -> float:
        """What a move costs, about, in moves of `random`: the size of shards goes by it."""
        return 1.0

    @property
    def games_at_once(self) -> int:
        """In how many games of a sitting it may have to choose: so many that a move of each takes
        far longer than the Python around it, so few that memory is bounded."""
        return 4096 if self.weight < 100 else 128

    @property
    def repeats(self) -> bool:
        """Whether it chooses alike on any machine: not if it looks at the clock."""
        return True

    def quick(self) -> Agent:
        """Return a player that needs the same compiled code, and hardly thinks."""
        return type(self)(eps=self.slips)

    @property
    def slips(self) -> float:
        """A chance of slips for `quick`: one, or none, as it has them or not."""
        return 0.5 if self.eps else 0.0

    @property
    def unit(self) -> str:
        """What `sitting.worth` counts in its choices, as read behind a number; empty where it
        leaves the worth unknown."""
        return ""

    def chooser(self, rules: Rules) -> Chooser:
        """Return the player at work. It may keep what it found out in a game for its next moves,
        so a sitting has choosers of its own."""
        raise NotImplementedError


def spelled(value: Any) -> str:
    """Return an option's value as it is written.

    >>> spelled(0.05), spelled(-0.0), spelled(400), spelled("greedy")
    ('0.05', '0', '400', 'greedy')
    """
    return format(value + 0.0, ".12g") if isinstance(value, float) else str(value)
