"""OpenSpiel's mancala games, played at random by the plain loop in Python."""

import random
from collections.abc import Sequence
from functools import partial
from time import perf_counter, thread_time
from typing import Any

from pipelines.bench import Duel, Sample, Subject, Thinker, play_for
from sim.agents.mcts import Mcts
from sim.errors import UserError

GAMES = {"kalah": "mancala", "oware": "oware", "sungka": "mancala"}
"""Variants, and the game that each stands against. OpenSpiel's `mancala` is `kalah` and its
`oware` is `oware`, move for move. It has no game with relays, so `sungka` stands against kalah."""

SAME = ("kalah", "oware")  # whose positions are those of OpenSpiel: searches can be compared
MEGABYTES = 1_000  # more than these searches need


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
        Duel(
            subject,
            subject.cell.agents[0],
            GAMES[subject.name],
            partial(play_for, subject.cell),
            partial(loop_for, pyspiel.load_game(GAMES[subject.name]), draw),
        )
        for subject in known
    ]


def searches_of(thinkers: Sequence[Thinker]) -> list[Duel]:
    """Return a duel for each UCT search of a game that OpenSpiel has: its own one, in C++."""
    import pyspiel

    return [
        Duel(
            thinker.subject,
            thinker.agent,
            GAMES[thinker.subject.name],
            thinker.think,
            partial(search_for, pyspiel.load_game(GAMES[thinker.subject.name]), thinker.agent),
        )
        for thinker in thinkers
        if thinker.subject.name in SAME and isinstance(thinker.agent, Mcts)
    ]


def search_for(game: Any, agent: Mcts, seconds: float) -> Sample:
    """Search by OpenSpiel's UCT at the start of games for so many seconds, one move at least."""
    import pyspiel

    evaluator, moves = pyspiel.RandomRolloutEvaluator(1, 0), 0
    start, cpu = perf_counter(), thread_time()
    while True:
        bot = pyspiel.MCTSBot(
            game, evaluator, agent.c, agent.simulations, MEGABYTES, True, moves, False
        )
        bot.step(game.new_initial_state())
        moves += 1
        wall = perf_counter() - start
        if wall >= seconds:
            return Sample(moves, moves * agent.simulations, thread_time() - cpu, wall)


def loop_for(game: Any, draw: random.Random, seconds: float) -> Sample:
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
