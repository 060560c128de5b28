"""What a player of one's own sees when it is to choose."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sim.referee.ends import collect, step
from sim.referee.position import Position
from sim.referee.sowing import legal

if TYPE_CHECKING:
    from sim.rules import Rules

Pits = tuple[int, ...]


@dataclass(frozen=True)
class View:
    """A position, seen by the player who is to move.

    Pits are numbered along their owner's direction of sowing: pit 0 is farthest from the owner's
    store, and own pit i faces the other's pit `len(pits) - 1 - i`. A closed (burnt) pit holds
    nothing and cannot be chosen.
    """

    pits: Pits
    """Seeds in the mover's pits."""
    other_pits: Pits
    """Seeds in the other player's pits, in the order in which that player sows."""
    store: int
    other_store: int
    closed: Pits
    """The mover's pits that are closed in this round, ascending."""
    other_closed: Pits
    legal: Pits
    """The pits that may be chosen, ascending; none where the round is over."""
    player: int
    """The mover: 0, who began the game, or 1."""
    ply: int
    """The number of the move to be chosen, counted from 1 through all rounds of the game."""
    round: int
    """The number of the round, from 1."""
    rules: Rules
    over: str | None = None
    """What has ended the round, `None` while it goes on."""
    chance: Callable[[], random.Random] = field(default=random.Random, repr=False, compare=False)

    @property
    def random(self) -> random.Random:
        """Randomness of this move's own: the same in the same game whatever the threads, so that
        games can be repeated. Draw from it alone."""
        return self.chance()

    def after(self, pit: int) -> View:
        """Look ahead: return what a legal pit leads to, as who is then to move sees it.

        `player` says who that is, as an extra turn leaves the mover to move. Where the move ends
        the round, `over` says why, seeds that are left are collected, and it is seen by who moved.
        What came before is not known here: a repeated position is not seen as such, nor is
        `end.max_plies`.

        >>> from sim.presets import load_variant
        >>> view = start(load_variant("kalah").rules)
        >>> view.after(2).player, view.after(2).store, view.after(0).player
        (0, 1, 1)
        """
        if pit not in self.legal:
            raise ValueError(f"pit {pit} is not legal: {', '.join(map(str, self.legal)) or 'none'}")
        position, reason = step(self.rules, self._position(), pit)
        if reason is None:
            choices = tuple(legal(self.rules, position))
            return _seen(self, position, position.to_move, choices, None)
        return _seen(self, collect(self.rules, position, reason), self.player, (), reason)

    def _position(self) -> Position:
        order = 1 - 2 * self.player  # player 0's come first
        return Position.of(
            (self.pits, self.other_pits)[::order],
            (self.store, self.other_store)[::order],
            self.player,
            (self.closed, self.other_closed)[::order],
        )


def _seen(view: View, position: Position, mover: int, legal: Pits, over: str | None) -> View:
    """Return the view that a view's next move leads to."""
    other = 1 - mover
    return View(
        pits=position.pits[mover],
        other_pits=position.pits[other],
        store=position.stores[mover],
        other_store=position.stores[other],
        closed=position.closed[mover],
        other_closed=position.closed[other],
        legal=legal,
        player=mover,
        ply=view.ply + 1,
        round=view.round,
        rules=view.rules,
        over=over,
        chance=view.chance,
    )


def start(rules: Rules) -> View:
    """Return the view of a game's start, to try a player on."""
    south, north = rules.start
    view = View(tuple(south), tuple(north), 0, 0, (), (), (), 0, 1, 1, rules)
    return replace(view, legal=tuple(legal(rules, view._position())))
