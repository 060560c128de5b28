"""What every player promises: legal moves, games that depend on their number alone, and choices
that are what they are said to be."""

import random

import numpy as np
import pytest
from drawn import drawn_rules

from sim.agents import parse_agent
from sim.games import Games
from sim.playing import play
from sim.presets import load_variant
from sim.referee import Game
from sim.rules import Rules
from sim.sittings import NO_OPENING, Opening

SPECS = [
    "random",
    "greedy",
    "greedy:captures=avoid",
    "greedy:extra_turns=ignore,opponent=heed",
    "minimax:3",
    "minimax:4,eval=seeds,nodes=300",
    "minimax:3,table=3",
    "mcts:20",
    "mcts:15,reward=margin,c=0.5",
    "mcts:8,rollout=greedy,reuse=no",
    "perfect:table=3,nodes=500,fallback=minimax:2",
    "minimax:2,eps=0.3",
]


def seats(one: str, two: str) -> tuple:
    return parse_agent(one), parse_agent(two)


def play_all(
    rules: Rules, agents: tuple, games: int, key: int = 1, opening: Opening = NO_OPENING
) -> list[Games]:
    batches: list[Games] = []
    while (first := sum(batch.count for batch in batches)) < games:
        batches.append(play(rules, agents, key, first, games - first, opening))
    return batches


def check_legal(rules: Rules, batch: Games) -> None:
    """By the referee, which raises for a move that is not legal."""
    for i in range(batch.count):
        game = Game(rules)
        for pit in batch.moves[batch.move_offsets[i] : batch.move_offsets[i + 1]]:
            game.move(int(pit))
        assert game.over
        assert game.score == tuple(batch.scores[i])


@pytest.mark.parametrize("seed", range(60))
def test_players_make_legal_moves_under_random_rules(seed: int) -> None:
    draw = random.Random(f"players {seed}")
    rules = drawn_rules(draw).with_keys({"end.max_plies": 60, "match.max_rounds": 3})
    for batch in play_all(rules, seats(draw.choice(SPECS), draw.choice(SPECS)), games=3, key=seed):
        check_legal(rules, batch)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_players_make_legal_moves_under_2_000_random_rules(part: int) -> None:
    for number in range(200):
        draw = random.Random(f"many players {part} {number}")
        rules = drawn_rules(draw).with_keys({"end.max_plies": 100, "match.max_rounds": 3})
        agents = seats(draw.choice(SPECS), draw.choice(SPECS))
        for batch in play_all(rules, agents, games=3, key=number, opening=Opening(number % 3, 5)):
            check_legal(rules, batch)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("name", ["kalah", "oware", "sungka"])
def test_a_game_depends_on_its_number_alone(name: str, spec: str) -> None:
    rules, agents = load_variant(name).rules, seats(spec, "greedy")
    opening = Opening(3, key=9)
    [together] = play_all(rules, agents, games=12, key=4, opening=opening)
    for first, count in ((0, 1), (2, 5), (11, 1)):
        part = play(rules, agents, 4, first, count, opening)
        start, end = together.move_offsets[[first, first + count]]
        assert np.array_equal(part.moves, together.moves[start:end])
        assert np.array_equal(part.nodes, together.nodes[start:end])
        assert np.array_equal(part.worth, together.worth[start:end], equal_nan=True)


def test_games_of_other_players_share_their_openings() -> None:
    rules, opening = load_variant("oware").rules, Opening(5, key=3)
    [one] = play_all(rules, seats("greedy", "random"), 40, key=1, opening=opening)
    [two] = play_all(rules, seats("random", "minimax:2"), 40, key=2, opening=opening)
    firsts = [
        [tuple(games.moves[start : start + 5]) for start in games.move_offsets[:-1]]
        for games in (one, two)
    ]
    assert firsts[0] == firsts[1]
    assert len(set(firsts[0])) > 30


def test_eps_is_the_chance_of_a_random_move() -> None:
    """Of kalah's first moves, greedy makes the one that brings an extra turn."""
    rules = load_variant("kalah").rules
    [games] = play_all(rules, seats("greedy:eps=0.3", "greedy"), 4000)
    firsts = games.moves[games.move_offsets[:-1]]
    expected = 0.7 + 0.3 / 6
    spread = np.sqrt(expected * (1 - expected) / games.count)
    assert abs((firsts == 2).mean() - expected) < 4.5 * spread


@pytest.mark.parametrize("name", ["kalah", "sungka", "oware"])
@pytest.mark.parametrize(
    ("stronger", "weaker"),
    [
        ("minimax:4", "greedy"),
        ("mcts:100", "random"),
        ("greedy", "random"),
        ("minimax:2", "random"),
    ],
)
def test_search_beats_greedy_beats_random(name: str, stronger: str, weaker: str) -> None:
    """Each clearly: at 100 games, 65 points are three standard errors above the half."""
    rules, opening = load_variant(name).rules, Opening(2, key=1)
    [first] = play_all(rules, seats(stronger, weaker), 50, key=1, opening=opening)
    [second] = play_all(rules, seats(weaker, stronger), 50, key=2, opening=opening)
    points = (first.winner == 0).sum() + (second.winner == 1).sum()
    points = points + ((first.winner == -1).sum() + (second.winner == -1).sum()) / 2
    assert points >= 65


FAMILIES = [
    ("minimax:2", "minimax:4"), ("minimax:4", "minimax:6"), ("mcts:50", "mcts:200"),
    ("mcts:200", "mcts:800"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kalah", "oware", "sungka"])
@pytest.mark.parametrize(("shallow", "deep"), FAMILIES)
def test_deeper_searches_are_no_weaker(name: str, shallow: str, deep: str) -> None:
    """In both seats of 100 openings: no interval of its share is wholly below a half."""
    rules, opening = load_variant(name).rules, Opening(4, key=1)
    [one] = play_all(rules, seats(deep, shallow), 100, key=1, opening=opening)
    [two] = play_all(rules, seats(shallow, deep), 100, key=2, opening=opening)
    won = [
        np.where(games.winner == -1, 0.5, games.winner == seat)
        for games, seat in ((one, 0), (two, 1))
    ]
    shares = (won[0] + won[1]) / 2
    assert shares.mean() + 1.98 * shares.std(ddof=1) / 10 > 0.5
