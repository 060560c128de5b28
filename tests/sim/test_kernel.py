"""The compiled kernel equals the referee, move for move, on presets and on random rules."""

import random

import numpy as np
import pytest
from drawn import drawn_board, drawn_rules
from numpy.typing import NDArray

from sim.agents import parse_agent
from sim.games import Games, MoveLog, replay
from sim.kernel.moves import CAPPED, SLAM, legal, moved
from sim.kernel.names import REASONS
from sim.playing import game_key, play
from sim.presets import load_variant, preset_names
from sim.referee import Game, Position
from sim.referee.ends import step
from sim.referee.sowing import legal as referee_legal
from sim.referee.sowing import sow
from sim.rules import Rules
from sim.tables import U, packed, tables, words_of

RANDOM, GREEDY = parse_agent("random"), parse_agent("greedy")
SEATINGS = [(RANDOM, RANDOM), (GREEDY, RANDOM), (RANDOM, GREEDY), (GREEDY, GREEDY)]
NOTED = (
    "round", "ply", "turn", "player", "pit", "lifted", "laps", "captured", "gained",
    "extra_turn", "legal_moves",
)  # fmt: skip


def play_all(rules: Rules, agents: tuple, games: int, key: int) -> list[Games]:
    """Play so many games, batch by batch."""
    batches: list[Games] = []
    while (first := sum(batch.count for batch in batches)) < games:
        batches.append(play(rules, agents, key, first, games - first))
    return batches


def check_against_referee(rules: Rules, agents: tuple, games: int, key: int = 1) -> int:
    """Play games, replay them, referee them, and compare every figure; return the plies."""
    batches = play_all(rules, agents, games, key)
    for batch in batches:
        again, log, bad = replay(rules, batch.moves, batch.move_offsets)
        assert (bad == -1).all()
        for name in vars(batch):
            if name not in ("first", "worth", "nodes"):  # a replay notes nothing
                assert np.array_equal(getattr(batch, name), getattr(again, name)), name
        for i in range(batch.count):
            check_game(rules, batch, log, i)
    return sum(int(batch.plies.sum()) for batch in batches)


def check_game(rules: Rules, batch: Games, log: MoveLog, i: int) -> None:
    game = Game(rules)
    start, end = batch.move_offsets[i], batch.move_offsets[i + 1]
    for k in range(start, end):
        move = game.move(int(batch.moves[k]))
        assert {name: getattr(move, name) for name in NOTED} == {
            name: getattr(log, name)[k] for name in NOTED
        }
        assert move.stores == (log.store0[k], log.store1[k])
        position = game.positions[-1]
        assert sum(map(sum, position.pits)) + sum(position.stores) == rules.total
    assert game.reason == REASONS[batch.reason[i]]
    assert game.score == tuple(batch.scores[i])
    assert game.winner == none_if_draw(batch.winner[i])
    assert len(game.rounds) == batch.rounds[i]
    assert sum(move.laps for move in game.moves) == batch.laps[i]
    assert (game.moves[-1].turn if game.moves else 0) == batch.turns[i]
    for j, done in enumerate(game.rounds, start=batch.round_offsets[i]):
        assert done.first_player == batch.round_first_player[j]
        assert done.score == tuple(batch.round_scores[j])
        assert done.reason == REASONS[batch.round_reason[j]]
        assert done.winner == none_if_draw(batch.round_winner[j])
        assert done.plies == batch.round_plies[j]
        assert done.burnt == tuple(batch.round_burnt[j])


def none_if_draw(winner: int) -> int | None:
    return None if winner == -1 else winner


@pytest.mark.parametrize("name", preset_names())
@pytest.mark.parametrize("agents", SEATINGS, ids=lambda seats: "-".join(a.text for a in seats))
def test_presets_equal_the_referee(name: str, agents: tuple) -> None:
    check_against_referee(load_variant(name).rules, agents, games=60)


@pytest.mark.slow
@pytest.mark.parametrize("name", preset_names())
def test_20_000_games_of_each_preset_equal_the_referee(name: str) -> None:
    check_against_referee(load_variant(name).rules, (RANDOM, RANDOM), games=20_000)


@pytest.mark.parametrize("seed", range(100))
def test_random_rules_equal_the_referee(seed: int) -> None:
    draw = random.Random(seed)
    check_against_referee(drawn_rules(draw), draw.choice(SEATINGS), games=5, key=seed)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_60_random_rules_a_part_equal_the_referee_over_500_000_plies(part: int) -> None:
    """All ten parts: 600 rules, 20 games each or more, 5,000,000 plies or more."""
    plies, combination = 0, 0
    while plies < 500_000 or combination < 60:
        draw = random.Random(f"{part} {combination}")
        rules, agents = drawn_rules(draw), draw.choice(SEATINGS)
        plies += check_against_referee(rules, agents, games=50, key=combination)
        combination += 1


@pytest.mark.parametrize("seed", range(300))
def test_any_board_is_judged_and_moved_as_the_referee_does(seed: int) -> None:
    """Boards that play would not reach: legal pits and every legal move's result are equal."""
    draw = random.Random(seed)
    rules = drawn_rules(draw)
    rows, stores = drawn_board(draw, rules)
    position = Position.of(rows, stores, 0, ((), ()))
    t, words = tables(rules), words_of(rules.board.pits)
    me, opp = (packed(row, words, store) for row, store in zip(rows, stores, strict=True))
    choices = referee_legal(rules, position)
    assert bits(legal(t, U(0), me, opp)) == choices
    for pit in choices:
        mine, other, _, laps, captured, went = moved(t, U(0), me, opp, U(pit))
        sown = sow(rules, position, pit)
        assert went != SLAM
        assert (went == CAPPED, laps, captured) == (sown.max_laps, sown.laps, sown.captured)
        after = sown.position
        assert [mine, other] == [
            packed(list(row), words, store)
            for row, store in zip(after.pits, after.stores, strict=True)
        ]


def bits(mask: int) -> list[int]:
    return [i for i in range(12) if int(mask) >> i & 1]


def test_a_game_depends_on_seed_cell_and_number_alone() -> None:
    rules = load_variant("sungka").rules
    key = game_key(7, "a cell")
    together = play(rules, (RANDOM, GREEDY), key, first=0, count=40)
    for first, count in ((0, 1), (3, 5), (17, 23), (39, 1)):
        part = play(rules, (RANDOM, GREEDY), key, first, count)
        assert np.array_equal(part.digest, together.digest[first : first + count])
        assert np.array_equal(part.scores, together.scores[first : first + count])
        start, end = together.move_offsets[[first, first + count]]
        assert np.array_equal(part.moves, together.moves[start:end])
    other = play(rules, (RANDOM, GREEDY), game_key(8, "a cell"), 0, 40)
    assert not set(other.digest) & set(together.digest)


def test_a_game_longer_than_the_buffers_is_played_to_its_end() -> None:
    keys = {"match.kind": "sunog", "match.max_rounds": 40_000}
    batch = play(load_variant("sungka", keys).rules, (RANDOM, RANDOM), key=1, first=0, count=3)
    assert batch.plies[0] > 1 << 20
    assert REASONS[batch.reason[0]] == "max-rounds"
    _, _, bad = replay(load_variant("sungka", keys).rules, batch.moves, batch.move_offsets)
    assert (bad == -1).all()


@pytest.mark.parametrize(
    ("moves", "expected"),
    [([0, 0, 0], 2), ([6], 0), ([250], 0), ([2, 2], 1), ([2, 5, 0, 0], -1)],
)
def test_replay_names_the_first_illegal_move(moves: list[int], expected: int) -> None:
    games, _, bad = replay(load_variant("kalah").rules, pit_array(moves), np.array([0, len(moves)]))
    assert bad.tolist() == [expected]
    assert games.reason.tolist() == [-1]


def test_replay_refuses_moves_after_the_end() -> None:
    rules = load_variant("kalah").rules
    whole = play(rules, (RANDOM, RANDOM), key=1, first=0, count=1)
    longer = np.append(whole.moves, whole.moves[:1])
    _, _, bad = replay(rules, longer, np.array([0, len(longer)]))
    assert bad.tolist() == [len(whole.moves)]


def pit_array(moves: list[int]) -> NDArray[np.uint8]:
    return np.array(moves, np.uint8)


@pytest.mark.parametrize("seed", range(60))
def test_greedy_banks_most_with_an_extra_turn_worth_one_seed(seed: int) -> None:
    """Of every choice in greedy games on random rules, bounds apart, which are no part of it."""
    draw = random.Random(f"greedy {seed}")
    rules = drawn_rules(draw).with_keys({"match.kind": "single", "end.max_plies": 300})
    batch = play(rules, (GREEDY, GREEDY), key=seed, first=0, count=4)
    for i in range(batch.count):
        game = Game(rules)
        for pit in batch.moves[batch.move_offsets[i] : batch.move_offsets[i + 1]]:
            worth = {choice: value(rules, game.position, choice) for choice in game.legal}
            assert worth[int(pit)] == max(worth.values())
            game.move(int(pit))


def value(rules: Rules, position: Position, pit: int) -> int:
    sown = sow(rules, position, pit)
    after, reason = step(rules, position, pit)
    again = sown.in_store and reason is None and after.to_move == position.to_move
    return sown.gained + again


def test_greedy_draws_ties_alike() -> None:
    """Of kalah's openings on three pits, more than one is worth most."""
    rules = load_variant("kalah", {"board.pits": 3, "board.seeds": 4}).rules
    start = Game(rules).position
    worth = {pit: value(rules, start, pit) for pit in range(3)}
    best = [pit for pit in worth if worth[pit] == max(worth.values())]
    assert len(best) > 1
    batch = play(rules, (GREEDY, GREEDY), key=5, first=0, count=8000)
    counts = np.bincount(batch.moves[batch.move_offsets[:-1]], minlength=3)
    assert set(np.flatnonzero(counts)) == set(best)
    expected = batch.count / len(best)
    assert (np.abs(counts[best] - expected) < 4.5 * np.sqrt(expected)).all()


def test_a_batch_of_no_games_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one game"):
        play(load_variant("kalah").rules, (RANDOM, RANDOM), key=1, first=0, count=0)


def test_random_play_draws_every_legal_pit_alike() -> None:
    """Of owari's first moves each is as likely; so are the few that a feeding rule leaves."""
    layout = [[2, 1, 1, 0, 0, 1], [0, 0, 0, 0, 0, 0]]
    rules = load_variant("oware", {"board.layout": layout, "end.win_seeds": "none"}).rules
    choices = Game(rules).legal
    batch = play(rules, (RANDOM, RANDOM), key=3, first=0, count=8000)
    firsts = batch.moves[batch.move_offsets[:-1]]
    counts = np.bincount(firsts, minlength=6)
    assert set(np.flatnonzero(counts)) == set(choices)
    expected = batch.count / len(choices)
    assert (np.abs(counts[choices] - expected) < 4.5 * np.sqrt(expected)).all()
