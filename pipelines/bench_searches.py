"""How fast players search: positions or plays a second of CPU time."""

from collections.abc import Iterable, Sequence
from functools import partial
from time import perf_counter, thread_time

from pipelines.bench import Sample, Subject, Thinker
from pipelines.cells import Cell
from sim.agents import Agent
from sim.playing import game_key
from sim.sittings import Opening, Table

GAMES, FIRST_PLIES = 64, 4
"""A player is given so many positions at once, each after so many random plies: early in the game
searches take longest, and positions that are all one would flatter a memory."""


def thinkers_of(subjects: Sequence[Subject], agents: Iterable[Agent]) -> list[Thinker]:
    """Return each player in each variant."""
    players = list({agent.text: agent for agent in agents}.values())
    return [
        Thinker(subject, agent, partial(think_for, subject.cell, agent))
        for subject in subjects
        for agent in players
    ]


def think_for(cell: Cell, agent: Agent, first: int, seconds: float) -> Sample:
    """Have a player choose in this thread for so many seconds, in one set of positions at least.

    The sample's games are choices, its moves the positions or plays that were looked at.
    """
    rules, key = cell.rules, game_key(0, cell.id)
    opening = Opening(FIRST_PLIES, game_key(1, cell.id))
    choices = looked = 0
    wall = cpu = 0.0
    while True:
        count = min(GAMES, agent.games_at_once)
        table = Table(rules, (agent, agent), key, first + choices, count, opening)
        for _ in range(FIRST_PLIES):
            games = table.going()
            table.choose(games)
            table.move(games)
        games = table.going()
        start, began = perf_counter(), thread_time()
        table.choose(games)
        wall, cpu = wall + perf_counter() - start, cpu + thread_time() - began
        choices, looked = choices + len(games), looked + int(table.sitting.nodes[games].sum())
        if wall >= seconds or not len(games):
            return Sample(choices, looked, cpu, wall)
