"""What holds for the referee under any rules."""

import random_rules
from hypothesis import assume, given
from hypothesis import strategies as st

from sim.referee import Game, Position, legal, step
from sim.rules import Rules


def play_out(game: Game, choices: st.DataObject) -> None:
    while not game.over:
        game.move(choices.draw(st.sampled_from(game.legal)))


@given(rules=random_rules.rules(), choices=st.data())
def test_seeds_are_conserved_in_every_position_and_a_game_ends(
    rules: Rules, choices: st.DataObject
) -> None:
    game = Game(rules)
    play_out(game, choices)
    assert {position.total for position in game.positions} == {rules.total}
    rounds = rules.match.max_rounds if rules.match.kind == "sunog" else 1
    assert len(game.moves) <= rounds * rules.end.max_plies
    assert len(game.positions) == len(game.moves) + 1
    assert sum(ended.plies for ended in game.rounds) == len(game.moves)
    for position in game.positions:
        assert all(
            row[pit] == 0
            for row, shut in zip(position.pits, position.closed, strict=True)
            for pit in shut
        )


@given(rules=random_rules.rules(), choices=st.data())
def test_a_mirrored_board_gives_the_mirrored_game(rules: Rules, choices: st.DataObject) -> None:
    start = choices.draw(random_rules.starts(rules))
    game, mirrored = Game(rules, start), Game(rules, mirror(start))
    play_out(game, choices)
    for move in game.moves:
        mirrored.move(move.pit)
    assert mirrored.positions == [mirror(position) for position in game.positions]
    assert mirrored.reason == game.reason
    assert mirrored.winner == (None if game.winner is None else 1 - game.winner)
    assert [move.player for move in mirrored.moves] == [1 - move.player for move in game.moves]
    for one, other in zip(mirrored.rounds, game.rounds, strict=True):
        assert (one.first_player, one.score) == (1 - other.first_player, other.score[::-1])


def mirror(position: Position) -> Position:
    return Position.of(
        position.pits[::-1], position.stores[::-1], 1 - position.to_move, position.closed[::-1]
    )


@given(rules=random_rules.rules({"match.kind": "single"}), choices=st.data())
def test_step_is_a_game_without_memory(rules: Rules, choices: st.DataObject) -> None:
    start = choices.draw(random_rules.starts(rules))
    game = Game(rules, start)
    assume(not game.over)
    position = game.position
    while not game.over:
        pit = choices.draw(st.sampled_from(legal(rules, position)))
        position, reason = step(rules, position, pit)
        game.move(pit)
        if game.reason in ("repetition", "max-plies"):
            assert reason is None
        else:
            assert reason == game.reason
    assert position.stores == game.moves[-1].stores


@given(rules=random_rules.rules(), choices=st.data())
def test_a_move_gains_what_its_store_gains(rules: Rules, choices: st.DataObject) -> None:
    game = Game(rules)
    play_out(game, choices)
    stores = game.positions[0].stores
    for move, after in zip(game.moves, game.positions[1:], strict=True):
        assert move.gained == move.stores[move.player] - stores[move.player]
        assert move.captured <= move.gained
        assert move.extra_turn <= (after.to_move == move.player)
        stores = after.stores
