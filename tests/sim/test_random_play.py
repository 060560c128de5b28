"""Random play by the million agrees with independent programs (`data/random_play.csv`)."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from sim.agents import parse_agent
from sim.playing import game_key, play
from sim.presets import load_variant

TABLE = Path(__file__).parents[2] / "data" / "random_play.csv"
KNOWN = {row["variant"]: row for row in csv.DictReader(TABLE.read_text().splitlines())}
GAMES = 1_000_000


@pytest.mark.parametrize("name", KNOWN)
def test_a_million_random_games_agree_within_four_standard_errors(name: str) -> None:
    known = KNOWN[name]
    random = parse_agent("random")
    winners, plies, laps, squares, games = np.zeros(3), 0, 0, 0.0, 0
    while games < GAMES:
        rules, key = load_variant(name).rules, game_key(2026, name)
        batch = play(rules, (random, random), key, games, GAMES - games)
        winners += np.bincount(batch.winner + 1, minlength=3)
        plies, laps = plies + int(batch.plies.sum()), laps + int(batch.laps.sum())
        squares += float((batch.plies.astype(float) ** 2).sum())
        games += batch.count
    # The variance of a difference of two independent means is the sum of theirs; the published
    # figures are rounded, which may add half a unit of their last digit.
    scale = math.sqrt(1 / GAMES + 1 / int(known["games"]))
    for column, count in zip(("draw", "first", "second"), winners, strict=True):
        share, theirs = count / GAMES, float(known[f"{column}_percent"]) / 100
        assert abs(share - theirs) < 4 * scale * math.sqrt(theirs * (1 - theirs)) + 0.00005, column
    mean = plies / GAMES
    spread = math.sqrt(squares / GAMES - mean**2)
    rounding = 0.5 * 10 ** -len(known["mean_plies"].partition(".")[2])
    assert abs(mean - float(known["mean_plies"])) < 4 * scale * spread + rounding
    if known["laps_per_move"]:
        # Rounded to 0.005; a mean over some 40 million moves adds far less than 0.001.
        assert abs(laps / plies - float(known["laps_per_move"])) < 0.005 + 0.001
