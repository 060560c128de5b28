"""What searches find is what plain minimax over the referee finds, and what playing out gives."""

import csv
import random
from pathlib import Path

import numpy as np
import pytest
from drawn import drawn_rules

from sim.agents import parse_agent
from sim.playing import play
from sim.presets import load_variant
from sim.referee import Game, Position
from sim.referee.ends import collect, step
from sim.referee.sowing import legal
from sim.rules import Rules
from sim.sittings import Table

RANDOM = parse_agent("random")
DATA = Path(__file__).parents[2] / "data"


def chosen(rules: Rules, spec: str, games: int = 1, key: int = 1) -> Table:
    """Let a player choose the first move of some games."""
    table = Table(rules, (parse_agent(spec),) * 2, key, 0, games)
    table.choose(table.going())
    return table


def plain(rules: Rules, position: Position, reason: str | None, depth: int) -> int:
    """Return by minimax what a position is worth to the player to move."""
    me = position.to_move
    if reason is not None:
        position = collect(rules, position, reason)
    if reason is not None or depth == 0:
        return position.stores[me] - position.stores[1 - me]
    return max(move_worth(rules, position, pit, depth) for pit in legal(rules, position))


def move_worth(rules: Rules, position: Position, pit: int, depth: int) -> int:
    after, reason = step(rules, position, pit)
    worth = plain(rules, after, reason, depth - 1)
    return worth if after.to_move == position.to_move else -worth


def single_round(draw: random.Random) -> Rules:
    """Random rules of one round that ends by its seeds alone, on a small board."""
    while True:
        rules = drawn_rules(draw)
        if rules.board.pits <= 6 and rules.end.goal == "most-seeds":
            keys = {"match.kind": "single", "end.repetition": "none", "end.max_plies": 5000}
            rules = rules.with_keys(keys)
            if Game(rules).legal:
                return rules


@pytest.mark.parametrize("seed", range(60))
def test_minimax_is_minimax(seed: int) -> None:
    """To a few plies, the worth is the plain one, and the pits are all those that are worth it."""
    draw = random.Random(f"minimax {seed}")
    rules, depth = single_round(draw), draw.randint(1, 4)
    position = Game(rules).position
    worths = {pit: move_worth(rules, position, pit, depth) for pit in legal(rules, position)}
    most = max(worths.values())
    sitting = chosen(rules, f"minimax:{depth}", games=60).sitting
    if len(worths) > 1:  # an only move is not searched
        assert set(sitting.worth) == {most}
    assert set(sitting.pit) == {pit for pit in worths if worths[pit] == most}


@pytest.mark.parametrize("seed", range(25))
def test_minimax_to_the_end_is_exact_whatever_its_memory(seed: int) -> None:
    """On boards so small that plain minimax reaches the end; with an endgame table too."""
    draw = random.Random(f"to the end {seed}")
    keys = {
        "board.pits": draw.randint(1, 3), "board.seeds": draw.randint(1, 2),
        "sowing.own_store": True, "end.win_seeds": "none",
    }  # fmt: skip
    rules = single_round(draw).with_keys(keys)
    position = Game(rules).position
    pits = legal(rules, position)
    exact = max(move_worth(rules, position, pit, 200) for pit in pits)
    for spec in ("minimax:200", "minimax:200,table=3", "perfect:table=2"):
        sitting = chosen(rules, spec).sitting
        assert sitting.worth[0] == exact or len(pits) == 1


def test_tables_tell_who_wins_by_a_majority() -> None:
    """With `win_seeds` the margin is another, for a round is cut short; the winner is the same."""
    for layout in ([[2, 1], [1, 3]], [[4, 2], [1, 1]], [[1, 3], [3, 1]], [[3, 3], [2, 2]]):
        keys = {"board.pits": 2, "board.layout": layout, "end.win_seeds": "majority"}
        rules = load_variant("kalah", keys).rules
        position = Game(rules).position
        exact = max(move_worth(rules, position, pit, 99) for pit in legal(rules, position))
        by_table = chosen(rules, "minimax:99,table=8").sitting.worth[0]
        assert np.sign(by_table) == np.sign(exact)


def test_tables_are_left_where_fewer_seeds_than_half_win() -> None:
    keys = {"board.pits": 3, "board.seeds": 2, "end.win_seeds": 3}
    rules = load_variant("kalah", keys).rules
    assert (
        chosen(rules, "minimax:99,table=8").sitting.worth
        == chosen(rules, "minimax:99").sitting.worth
    )


def published() -> list[dict[str, str]]:
    with (DATA / "kalah_values_computed.csv").open() as file:
        return [row for row in csv.DictReader(file) if int(row["m"]) <= 3]


@pytest.mark.parametrize("row", published(), ids=lambda row: "-".join(list(row.values())[:3]))
def test_kalah_to_the_end_is_worth_what_is_known(row: dict[str, str]) -> None:
    keys = {"board.pits": int(row["m"]), "board.seeds": int(row["n"])}
    keys |= {"capture.needs_opposite": row["empty_capture"] == "0"}
    sitting = chosen(load_variant("kalah", keys).rules, "minimax:200").sitting
    assert sitting.worth[0] == int(row["margin"]) or row["m"] == "1"


def test_a_budget_of_positions_is_kept() -> None:
    rules = load_variant("kalah").rules
    for nodes in (1, 10, 1_000):
        sitting = chosen(rules, f"minimax:30,nodes={nodes}").sitting
        assert 1 <= sitting.nodes[0] <= nodes


def test_deeper_searches_agree_with_themselves() -> None:
    """A search that ended by its depth says what it said in another game at the same position."""
    rules = load_variant("sungka").rules
    sitting = chosen(rules, "minimax:6", games=20).sitting
    assert len(set(sitting.worth)) == 1
    assert len(set(sitting.nodes)) == 1


@pytest.mark.parametrize("name", ["kalah", "oware", "sungka", "basic"])
def test_playing_out_is_random_play(name: str) -> None:
    """One play each after a random first move: the first player's share is that of random games."""
    rules, games = load_variant(name).rules, 6_000
    sitting = chosen(rules, "mcts:1", games).sitting
    random_games = play(rules, (RANDOM, RANDOM), key=3, first=0, count=8_000)
    shares = [points(random_games.winner), (sitting.worth + 0.0)]
    errors = [share.var() / len(share) for share in shares]
    assert abs(shares[0].mean() - shares[1].mean()) < 4.5 * np.sqrt(sum(errors))
    assert set(sitting.nodes) == {1}


def points(winner: np.ndarray) -> np.ndarray:
    return np.where(winner == -1, 0.5, winner == 0)


@pytest.mark.parametrize("seed", range(25))
def test_uct_proves_who_wins_on_small_boards(seed: int) -> None:
    draw = random.Random(f"uct {seed}")
    keys = {
        "board.pits": draw.randint(2, 3), "board.seeds": draw.randint(1, 2),
        "sowing.own_store": True,
    }  # fmt: skip
    rules = single_round(draw).with_keys(keys)
    position = Game(rules).position
    worths = {pit: move_worth(rules, position, pit, 200) for pit in legal(rules, position)}
    if len(worths) == 1:
        return
    best = max(worths.values())
    sitting = chosen(rules, "mcts:30000", games=4).sitting
    assert all(np.sign(worths[int(pit)]) == np.sign(best) for pit in sitting.pit)
    # A draw that is found is left open where a better move has not been excluded.
    assert np.abs(sitting.worth - (0.5 + 0.5 * np.sign(best))).max() < (0.01 if best == 0 else 1e-9)
    if best != 0:
        assert sitting.nodes.max() < 30_000  # what is proved needs no more plays


def test_a_margin_is_rewarded_as_the_part_of_all_seeds() -> None:
    rules = load_variant("kalah", {"board.pits": 2, "board.seeds": 2}).rules
    exact = max(move_worth(rules, Game(rules).position, pit, 99) for pit in (0, 1))
    sitting = chosen(rules, "mcts:20000,reward=margin").sitting
    assert sitting.worth[0] == pytest.approx(0.5 + exact / (2 * rules.total))
