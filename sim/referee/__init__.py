"""The reference referee: the rules in plain Python, slow and to be read.

It is the specification that the compiled kernel is held against. In reading order:

- `position`: what lies where, and the checks of a start given by hand;
- `sowing`: one move (laps, captures) and which moves are legal;
- `ends`: what ends a round, in which order, who collects what, and who has won;
- `game`: a game fed with moves: a round, or a match of rounds with burnt pits.
"""

from sim.referee.ends import step
from sim.referee.game import Game, Move, Round
from sim.referee.position import Position, read_start
from sim.referee.sowing import Cell, Sown, legal, sow

__all__ = [
    "Cell",
    "Game",
    "Move",
    "Position",
    "Round",
    "Sown",
    "legal",
    "read_start",
    "sow",
    "step",
]
