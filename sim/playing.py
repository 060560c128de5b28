"""Plays games of a cell by the batch."""

import hashlib
from collections.abc import Callable

import numpy as np

from sim.agents import Agent
from sim.agents.random import Random
from sim.games import Games, trimmed
from sim.kernel.lanes import play_in_step
from sim.kernel.play import play_games
from sim.room import GAMES_PER_BATCH, MOVES_PER_BATCH, ROOMS, buffers
from sim.rules import Rules
from sim.sittings import NO_OPENING, Opening, play_seated
from sim.tables import tables, words_of


def game_key(seed: int, cell: str) -> int:
    """Return the 64-bit key of a cell's randomness: game g of a cell depends on it and g alone."""
    text = f"{seed} {cell}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def play(
    rules: Rules,
    agents: tuple[Agent, Agent],
    key: int,
    first: int,
    count: int,
    opening: Opening = NO_OPENING,
    heed: Callable[[], None] = lambda: None,
) -> Games:
    """Play games `first` … of a cell, at least one and at most `count` of them.

    Fewer come back when they would not fit a batch's bounded memory: call again for the rest.
    `heed` is called now and then; what it raises ends the batch. Thread-safe, and without the GIL
    while it plays. Raises `ValueError` for a count below 1.

    >>> from sim.agents import parse_agent
    >>> from sim.presets import load_variant
    >>> random = parse_agent("random")
    >>> play(load_variant("kalah").rules, (random, random), key=1, first=0, count=5).count
    5
    """
    if count < 1:
        raise ValueError(f"count is {count}: at least one game has to be asked for")
    if in_step(agents, opening):
        return _play_random(rules, key, first, min(count, GAMES_PER_BATCH))
    return play_seated(rules, agents, key, first, count, opening, heed)


def _play_random(rules: Rules, key: int, first: int, count: int) -> Games:
    t, words = tables(rules), 2 * words_of(rules.board.pits)
    out, work = ROOMS.of(MOVES_PER_BATCH, words)
    done, room = play_in_step(t, np.uint64(key), first, count, out, work), MOVES_PER_BATCH
    while not done:  # a game that is longer than a lane's part of the memory
        done = play_games(t, np.uint64(key), first, count, out, None)
        if not done:  # or than all of it
            room *= 4
            out = buffers(count, room, words)
    return trimmed(out, first, done)


def in_step(agents: tuple[Agent, Agent], opening: Opening = NO_OPENING) -> bool:
    """Whether games of these players are played several at a time in wide registers."""
    return not opening.plies and all(isinstance(agent, Random) for agent in agents)
