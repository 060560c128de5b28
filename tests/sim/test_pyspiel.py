"""Oware and Kalah against OpenSpiel, move for move, in random games."""

import random

import pyspiel
import pytest

from sim.presets import load_variant
from sim.referee import Game

GAMES = 2_000
MANCALA_PITS = {0: 1, 1: 8}  # player: OpenSpiel's number of pit 0; the stores are 7 and 0


def pit_of(game: str, player: int, action: int) -> int:
    """Return our pit for one of OpenSpiel's actions."""
    return action if game == "oware" else action - MANCALA_PITS[player]


@pytest.mark.parametrize(("preset", "other"), [("oware", "oware"), ("kalah", "mancala")])
def test_random_games_have_the_same_legal_moves_lengths_and_winners(
    preset: str, other: str
) -> None:
    rules = load_variant(preset).rules
    theirs = pyspiel.load_game(other)
    draw = random.Random(20)
    for _ in range(GAMES):
        game, state = Game(rules), theirs.new_initial_state()
        while not game.over:
            player = game.position.to_move
            assert state.current_player() == player
            pits = {pit_of(other, player, action): action for action in state.legal_actions()}
            assert sorted(pits) == game.legal
            pit = draw.choice(game.legal)
            game.move(pit)
            state.apply_action(pits[pit])
        assert state.is_terminal()
        returns = state.returns()
        assert game.winner == (None if returns[0] == 0 else int(returns[0] < 0))
