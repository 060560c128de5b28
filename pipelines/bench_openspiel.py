"""OpenSpiel's mancala games, played at random by the plain loop in Python."""

import random
from collections.abc import Sequence
from functools import partial
from time import perf_counter, thread_time
from typing import Any

from pipelines.bench import Duel, Sample, Subject
from sim.errors import UserError

GAMES = {"kalah": "mancala", "oware": "oware", "sungka": "mancala"}
"""Variants, and the game that each stands against. OpenSpiel's `mancala` is `kalah` and its
`oware` is `oware`, move for move. It has no game with relays, so `sungka` stands against kalah."""


def duels_of(subjects: Sequence[Subject]) -> list[Duel]:
    """Return a duel for each subject that there is a game for.

    Raises `UserError` where there is none, or no OpenSpiel.
    """
    known = [subject for subject in subjects if subject.name in GAMES]
    if not known:
        raise UserError(f"--against openspiel: it has no such game: name one of {', '.join(GAMES)}")
    try:
        import pyspiel
    except ImportError:
        raise UserError(
            "--against openspiel: OpenSpiel is not installed: pip install open-spiel"
        ) from None
    draw = random.Random(0)
    return [
        Duel(subject, game, partial(play_for, pyspiel.load_game(game), draw))
        for subject in known
        for game in [GAMES[subject.name]]
    ]


def play_for(game: Any, draw: random.Random, seconds: float) -> Sample:
    """Play random games of OpenSpiel for so many seconds, one at least."""
    games = moves = 0
    start, cpu = perf_counter(), thread_time()
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(draw.choice(state.legal_actions()))
        games += 1
        moves += state.move_number()
        wall = perf_counter() - start
        if wall >= seconds:
            return Sample(games, moves, thread_time() - cpu, wall)
