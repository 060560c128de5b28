"""Players' specs: what is read, how it is spelled, what is refused; and what one's own see."""

import random
import sys
from pathlib import Path

import numpy as np
import pytest

from sim.agents import PLAYERS, parse_agent
from sim.agents.own import Own
from sim.agents.source import Source, known_source, read_source
from sim.agents.view import View, start
from sim.errors import UserError
from sim.playing import play
from sim.presets import load_variant
from sim.referee import Game
from sim.rules import Rules

SPECS = [
    "random", "greedy", "random,eps=0.5", "greedy:captures=avoid", "greedy:opponent=heed,eps=0.05",
    "minimax:6", "minimax:6,nodes=1000", "minimax:6,eval=seeds,table=8", "minimax:4,time=0.5",
    "mcts:400", "mcts:400,c=1.4,eps=0.05", "mcts:1,rollout=greedy,reward=margin,reuse=no",
    "perfect", "perfect:table=10", "perfect:fallback=mcts:400,nodes=7", "my.py:f#01234567",
    "my.py:f#01234567,eps=0.1",
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS)
def test_the_canonical_spelling_reads_as_the_same_player(spec: str) -> None:
    agent = parse_agent(spec)
    assert parse_agent(agent.text) == agent
    assert parse_agent(agent.text).text == agent.text


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("random:eps=0", "random"),
        (" greedy ", "greedy"),
        ("mcts: 0400 , c=1.40", "mcts:400,c=1.4"),
        ("mcts:c=0.5,simulations=5", "mcts:5"),
        ("greedy,eps=1e-2,captures=take", "greedy:eps=0.01"),
        (" my.py:f #01234567, eps=0.10", "my.py:f#01234567,eps=0.1"),
    ],
)
def test_spellings_of_one_player(spec: str, text: str) -> None:
    assert parse_agent(spec).text == text


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("", "there is no agent ''"),
        ("randon", "there is no agent 'randon' (did you mean 'random'?); give one of random, "),
        ("minimax", "its depth is missing: write minimax:NUMBER, plies to look ahead"),
        ("minimax:0", "depth = 0 is not allowed: give plies to look ahead, from 1 to 200"),
        ("minimax:-3", "depth = -3 is not allowed"),
        ("minimax:x", "depth = x is not allowed"),
        ("minimax:6,7", "there is no option '7'"),
        ("minimax:6,dept=7", "there is no option 'dept' (did you mean 'depth'?); minimax takes"),
        ("minimax:6,depth=7", "depth is given twice: leave one out"),
        ("minimax:6,time=0", "time = 0 is not allowed: give seconds a move may take"),
        ("mcts", "its simulations is missing: write mcts:NUMBER"),
        ("mcts:0", "simulations = 0 is not allowed"),
        ("mcts:400,c=nan", "c = nan is not allowed"),
        ("mcts:400,eps=1.5", "eps = 1.5 is not allowed: give the chance of a random move"),
        ("mcts:400,rollout=clever", "rollout = clever is not allowed: give random or greedy"),
        ("greedy:5", "there is no option '5'"),
        ("random:captures=avoid", "there is no option 'captures'"),
        ("perfect:fallback=perfect", "is not allowed: give a player for what is not solved"),
        ("my.py:f#01234567,depth=3", "there is no option 'depth'"),
        ("my.txt:f", "there is no agent 'my.txt:f'"),
        ("nothing.py:f", "nothing.py: cannot be read: No such file"),
        ("a" * 5000, "there is no agent 'aaa"),
    ],
)
def test_what_is_refused_names_the_option_and_what_is_allowed(spec: str, says: str) -> None:
    with pytest.raises(UserError) as refused:
        parse_agent(spec)
    message = str(refused.value)
    assert says in message
    assert "\n" not in message
    assert len(message) < 400


def test_every_player_says_what_it_costs_and_whether_it_repeats() -> None:
    agents = [parse_agent(spec) for spec in SPECS]
    assert {type(agent) for agent in agents} == {*PLAYERS.values(), Own}
    assert all(agent.weight >= 1 for agent in agents)
    assert [agent.text for agent in agents if not agent.repeats] == ["minimax:4,time=0.5"]


NOTING = """
SEEN = []
def noting(position):
    SEEN.append(position)
    return position.random.choice(position.legal)
"""
SUNOG = {"match.kind": "sunog", "board.pits": 4, "board.seeds": 3, "match.max_rounds": 8}


def seen_in_a_game(rules: Rules, key: int) -> tuple[list[View], list[int]]:
    source = known_source(Source("noting.py", NOTING))
    agent = parse_agent("noting.py:noting", lambda _: source)
    agent.chooser(rules)
    views = vars(sys.modules[f"mancalab_player_{source.seal}"])["SEEN"]
    views.clear()
    games = play(rules, (agent, agent), key, 0, 1)
    return list(views), games.moves.tolist()


@pytest.mark.parametrize(
    ("variant", "keys"),
    [
        ("kalah", {}), ("owari", {}), ("oware", {"board.pits": 9}), ("sungka", SUNOG),
        ("sungka", {**SUNOG, "match.fill_from": "far", "match.reopen": False}),
        ("sungka", {"board.pits": 12}), ("basic", {}),
    ],
)  # fmt: skip
def test_a_player_sees_what_the_referee_has(variant: str, keys: dict[str, int | str]) -> None:
    rules = load_variant(variant, keys).rules
    burnt = 0
    for key in range(3):
        views, moves = seen_in_a_game(rules, key)
        game = Game(rules)
        for view, pit in zip(views, moves, strict=True):
            position, me = game.position, game.position.to_move
            assert (view.player, view.ply, view.round) == (me, len(game.moves) + 1, game.round)
            assert (view.pits, view.other_pits) == (position.pits[me], position.pits[1 - me])
            assert (view.store, view.other_store) == (position.stores[me], position.stores[1 - me])
            assert (view.closed, view.other_closed) == (
                position.closed[me], position.closed[1 - me]
            )  # fmt: skip
            assert list(view.legal) == game.legal
            burnt += len(view.closed)
            after, rounds = view.after(pit), len(game.rounds)
            game.move(pit)
            if after.over is None and len(game.rounds) == rounds:
                assert after.player == game.position.to_move
                assert (after.pits, after.store) == (
                    game.position.pits[after.player], game.position.stores[after.player]
                )  # fmt: skip
                assert list(after.legal) == game.legal
            elif after.over is not None:
                assert game.rounds[rounds].reason == after.over
                score = game.rounds[rounds].score
                assert (after.store, after.other_store) == (score[me], score[1 - me])
                assert (after.player, after.legal) == (me, ())
        assert game.over
    assert bool(burnt) == (rules.match.kind == "sunog")


def test_a_view_cannot_be_changed_and_looks_ahead_at_legal_pits_alone() -> None:
    view = start(load_variant("kalah").rules)
    with pytest.raises(AttributeError):
        view.store = 5  # type: ignore[misc]
    with pytest.raises(ValueError, match="pit 6 is not legal: 0, 1, 2, 3, 4, 5"):
        view.after(6)
    assert isinstance(view.random, random.Random)


def test_chance_is_of_the_move_alone() -> None:
    rules = load_variant("kalah").rules
    source = known_source(Source("noting.py", NOTING))
    agent = parse_agent("noting.py:noting", lambda _: source)
    whole = play(rules, (agent, parse_agent("random")), 7, 0, 30)
    parts = [play(rules, (agent, parse_agent("random")), 7, n, 1) for n in range(30)]
    assert [p.digest[0] for p in parts] == whole.digest.tolist()
    assert len(set(whole.digest.tolist())) == 30
    first = [whole.moves[o] for o in whole.move_offsets[:-1]]
    assert set(np.array(first).tolist()) == set(range(6))


def test_a_file_is_read_anew_where_it_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "my.py"
    path.write_text("def f(p): return p.legal[0]")
    one = parse_agent(f"{path}:f")
    path.write_text("def f(p): return p.legal[-1]")
    other = parse_agent(f"{path}:f")
    assert one != other
    assert [read_source(path).seal, "my.py"] == [other.seal, other.file]  # type: ignore[attr-defined]
    rules = load_variant("kalah").rules
    moves = [play(rules, (agent,) * 2, 0, 0, 1).moves[0] for agent in (one, other)]
    assert moves == [0, 5]


@pytest.mark.parametrize("c", ["0.70710678118654752", "1e-3", "0.3000000000000004", "-0.0", "33"])
def test_a_number_is_what_its_spelling_says(c: str) -> None:
    """A dataset goes on by the spelling: the number must be the same one then."""
    agent = parse_agent(f"mcts:9,c={c}")
    assert parse_agent(agent.text) == agent
    assert "-" not in parse_agent(f"mcts:9,c={c}").text.replace("e-", "")
