"""The subtle points of a round's rules, one by one."""

from collections.abc import Sequence
from typing import Any

import pytest
from boards import at, three

from sim.errors import UserError
from sim.presets import load_variant
from sim.referee import Game, Move, Position, legal, sow, step
from sim.rules import Value


def last(game: Game, pits: Sequence[int]) -> Move:
    return [game.move(pit) for pit in pits][-1]


# --- ends, in their order --------------------------------------------------------------------


def test_win_seeds_is_judged_before_the_empty_row() -> None:
    game = at(three({"end.win_seeds": 5}), [0, 0, 1], [1, 1, 0], [4, 0])
    game.move(2)
    assert (game.reason, game.score, game.winner) == ("win-seeds", (5, 0), 0)
    assert game.position.pits == ((0, 0, 0), (1, 1, 0))  # nothing is collected


def test_the_larger_store_wins_where_both_hold_win_seeds() -> None:
    game = at(three({"end.win_seeds": 5}), [1, 0, 1], [1, 1, 0], [4, 9])
    assert (game.reason, game.winner, game.rounds) == ("win-seeds", 1, [])


def test_majority_is_of_the_variants_own_start() -> None:
    rules = three({"end.win_seeds": "majority"})  # 12 seeds, however few lie in a start
    game = at(rules, [1, 0, 1], [1, 1, 0], [5, 0])
    game.move(2)
    assert (game.score, game.over) == ((6, 0), False)
    assert at(rules, [1, 0, 1], [1, 1, 0], [7, 0]).reason == "win-seeds"


def test_an_end_by_rows_comes_before_repetition_and_max_plies() -> None:
    game = at(three({"end.max_plies": 1}), [0, 0, 1], [1, 1, 0], [0, 0])
    game.move(2)
    assert game.reason == "side-empty"


def test_repetition_comes_before_max_plies() -> None:
    rules = load_variant("oware", {"end.max_plies": 12}).rules
    circle = [5, 5, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    game = at(rules, [0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1], [23, 23])
    last(game, circle)
    assert (game.reason, len(game.moves)) == ("repetition", 12)


def test_max_plies_gives_each_player_the_own_row_whatever_leftover_says() -> None:
    keys: dict[str, Value] = {"end.max_plies": 1, "end.leftover": "opponent", "end.when": "no-move"}
    game = at(three(keys), [0, 0, 1], [0, 0, 3], [0, 0])
    game.move(2)  # an extra turn with an empty row: the round has ended before its bound
    assert (game.reason, game.score) == ("no-move", (4, 0))
    game = at(three(keys), [0, 1, 0], [0, 0, 3], [0, 0])
    game.move(1)
    assert (game.reason, game.score) == ("max-plies", (1, 3))


def test_leftover_is_no_matter_of_bounds_even_where_one_row_is_empty() -> None:
    keys: dict[str, Value] = {"end.leftover": "opponent", "sowing.extra_turn": False}
    keys |= {"end.when": "no-move", "end.max_plies": 1}
    game = at(three(keys), [0, 0, 1], [0, 2, 1], [0, 0])
    game.move(2)
    assert (game.reason, game.score) == ("max-plies", (1, 3))


def test_leftover_goes_to_the_opponent_only_where_one_row_is_empty() -> None:
    keys: dict[str, Value] = {"end.leftover": "opponent"}
    assert at(three(keys), [0, 0, 0], [1, 2, 0], [5, 5]).score == (8, 5)
    keys |= {"play.must_feed": "always"}
    stuck = at(three(keys), [0, 1, 0], [0, 0, 0], [5, 5], to_move=0)
    assert (stuck.reason, stuck.score) == ("side-empty", (5, 6))
    keys |= {"end.when": "no-move", "capture.kind": "none"}
    both = at(three(keys), [0, 1, 0], [0, 0, 0], [5, 5], to_move=0)
    assert (both.reason, both.score) == ("no-move", (5, 6))


def test_where_both_rows_hold_seeds_a_player_without_a_move_leaves_each_the_own_row() -> None:
    keys: dict[str, Value] = {"end.leftover": "opponent", "play.must_feed": "always"}
    game = at(three(keys), [1, 0, 0], [0, 2, 0], [5, 5])
    assert (game.reason, game.score, game.winner) == ("no-move", (6, 7), 1)


def test_on_repetition_leave_collects_nothing() -> None:
    rules = load_variant("awari").rules
    game = at(rules, [0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1], [22, 24])
    last(game, [5, 5, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    assert (game.reason, game.score, game.winner) == ("repetition", (22, 24), 1)
    assert game.position.total == 48


def test_max_laps_ends_the_round_before_anything_is_judged() -> None:
    keys: dict[str, Value] = {"sowing.own_store": False, "sowing.max_laps": 1, "board.pits": 3}
    for when in ("side-empty", "board-empty", "no-move"):
        ends: dict[str, Value] = {"end.when": when, "end.max_plies": 1, "end.leftover": "opponent"}
        game = at(load_variant("sungka", {**keys, **ends}).rules, [0, 0, 2], [1, 1, 0], [3, 0])
        move = game.move(2)  # the second seed falls beside another
        assert (game.reason, move.laps, game.score) == ("max-laps", 1, (3, 4))


def test_max_laps_does_not_count_where_the_own_store_is_sown() -> None:
    rules = load_variant("sungka", {"sowing.max_laps": 1}).rules
    assert Game(rules).move(3).laps == 2


def test_a_move_of_exactly_max_laps_is_no_bound_reached() -> None:
    rules = load_variant(
        "sungka",
        {"sowing.own_store": False, "sowing.max_laps": 2, "board.pits": 3, "board.seeds": 2},
    ).rules
    game = at(rules, [0, 1, 1], [0, 0, 5], [0, 0])
    move = game.move(1)  # one, then two: the last falls into the empty second pit across
    assert (move.laps, game.over, move.captured) == (2, False, 0)


# --- passing, turns, extra turns -------------------------------------------------------------


def test_an_extra_turn_with_an_empty_row_is_a_pass_and_a_new_turn() -> None:
    rules = load_variant("sungka", {"board.pits": 3}).rules
    game = at(rules, [0, 0, 1], [1, 1, 0], [0, 0])
    move = game.move(2)
    assert (move.extra_turn, game.position.to_move, game.legal) == (False, 1, [0, 1])
    assert game.move(1).turn == 2


def test_a_rounds_first_player_is_who_moves_after_passes() -> None:
    rules = load_variant("sungka", {"board.pits": 3}).rules
    game = at(rules, [0, 0, 0], [0, 0, 1], [0, 0], to_move=0)
    assert game.move(2).player == 1
    assert [(ended.first_player, ended.reason) for ended in game.rounds] == [(1, "board-empty")]


def test_under_board_empty_a_player_with_seeds_and_no_move_ends_the_round() -> None:
    rules = load_variant("sungka", {"board.pits": 3, "play.must_feed": "always"}).rules
    game = at(rules, [0, 0, 0], [1, 0, 0], [0, 0], to_move=0)  # player 1 cannot feed
    assert (game.reason, game.score) == ("no-move", (0, 1))


def test_a_move_after_the_opponents_pass_is_no_extra_turn() -> None:
    rules = load_variant("sungka", {"board.pits": 3}).rules
    game = at(rules, [1, 0, 1], [0, 0, 0], [0, 0])
    move = game.move(0)
    assert (move.extra_turn, game.position.to_move) == (False, 0)
    assert [game.moves[0].turn, game.move(1).turn] == [1, 2]


def test_extra_turns_belong_to_one_turn() -> None:
    game = Game(load_variant("kalah").rules)
    assert [game.move(pit).turn for pit in (2, 5, 0, 1)] == [1, 1, 2, 3]


def test_a_move_into_the_store_that_ends_the_round_is_no_extra_turn() -> None:
    game = at(three(), [0, 0, 1], [1, 0, 0], [0, 0])
    assert (game.move(2).extra_turn, game.reason) == (False, "side-empty")


def test_both_stores_give_another_turn_where_both_are_sown() -> None:
    game = at(load_variant("basic", {"board.pits": 3}).rules, [1, 0, 5], [1, 1, 1], [0, 0])
    move = game.move(2)
    assert (move.extra_turn, move.gained, game.score) == (True, 1, (1, 1))


def test_extra_turn_false_passes_the_turn_on() -> None:
    game = at(three({"sowing.extra_turn": False}), [1, 0, 1], [1, 0, 0], [0, 0])
    assert (game.move(2).extra_turn, game.position.to_move) == (False, 1)


def test_stores_of_a_move_are_before_collection() -> None:
    game = at(three(), [0, 0, 1], [1, 0, 2], [0, 0])
    assert (game.move(2).stores, game.score) == ((1, 0), (1, 3))


# --- sowing and captures ---------------------------------------------------------------------


def test_skip_origin_holds_for_each_lap_of_a_relay() -> None:
    rules = load_variant("sungka", {"board.pits": 2, "sowing.skip_origin": True}).rules
    game = at(rules, [1, 4], [0, 0], [0, 0])
    move = game.move(0)  # one into pit 1, whose five skip it on the way round
    assert (move.laps, game.position.pits, game.score) == (2, ((1, 0), (1, 1)), (2, 0))


def test_needs_opposite_false_takes_the_last_seed_alone() -> None:
    game = at(three({"capture.needs_opposite": False}), [1, 0, 1], [0, 0, 1], [0, 0])
    move = game.move(0)
    assert (move.captured, move.gained) == (1, 1)


def test_takes_own_seed_false_leaves_it() -> None:
    game = at(three({"capture.takes_own_seed": False}), [1, 0, 1], [0, 4, 1], [0, 0])
    move = game.move(0)
    assert (move.captured, game.position.pits) == (4, ((0, 1, 1), (0, 0, 1)))


@pytest.mark.parametrize(
    ("slam", "captured", "north"),
    [
        ("allowed", 2, (0, 0, 0)),
        ("no-capture", 0, (2, 0, 0)),
        ("leave-first", 0, (2, 0, 0)),
        ("leave-last", 0, (2, 0, 0)),
    ],
)
def test_a_slam_of_a_single_pit(slam: str, captured: int, north: tuple[int, ...]) -> None:
    keys: dict[str, Value] = {"capture.grand_slam": slam, "play.must_feed": "no"}
    rules = load_variant("awari", {"board.pits": 3, **keys}).rules
    game = at(rules, [1, 0, 1], [1, 0, 0], [0, 0])
    move = game.move(2)
    assert move.captured == captured
    assert step(rules, Position.of([[1, 0, 1], [1, 0, 0]], [0, 0], 0), 2)[0].pits[1] == north


def test_a_chain_stops_at_the_row_and_at_a_size_that_is_not_listed() -> None:
    rules = load_variant("awari", {"board.pits": 3, "play.must_feed": "no"}).rules
    assert at(rules, [0, 2, 3], [1, 3, 1], [0, 0]).move(2).captured == 2
    assert at(rules, [0, 2, 3], [1, 2, 1], [0, 0]).move(2).captured == 7


# --- what a move did ---------------------------------------------------------------------------


def test_all_laps_reach_cells_and_one_is_the_last() -> None:
    rules = three({"sowing.relay": "occupied"})
    sown = sow(rules, Position.of([[0, 2, 0], [1, 0, 0]], [0, 0], 0), 1)
    assert (sown.reached, sown.last) == ({(0, 2), (0, 3)}, (0, 3))
    sown = sow(rules, Position.of([[0, 3, 0], [1, 0, 0]], [0, 0], 0), 1)
    assert (sown.laps, sown.last) == (2, (1, 2))
    assert sown.reached == {(0, 2), (0, 3), (1, 0), (1, 1), (1, 2)}


def test_what_was_taken_are_the_pits_that_seeds_were_captured_from() -> None:
    kalah = load_variant("kalah", {"board.pits": 3}).rules
    assert set(sow(kalah, Position.of([[1, 0, 0], [0, 2, 0]], [0, 0], 0), 0).taken) == {
        (0, 1), (1, 1),
    }  # fmt: skip
    spared = load_variant("oware", {"board.pits": 3, "capture.grand_slam": "leave-last"}).rules
    sown = sow(spared, Position.of([[0, 0, 2], [1, 1, 0]], [0, 0], 0), 2)
    assert (sown.captured, sown.taken) == (2, ((1, 0),))


# --- legal moves -----------------------------------------------------------------------------


def test_when_empty_asks_for_food_only_where_the_row_is_empty() -> None:
    rules = load_variant("oware", {"board.pits": 3, "end.win_seeds": "none"}).rules
    assert legal(rules, Position.of([[1, 0, 1], [0, 0, 0]], [0, 0], 0)) == [2]
    assert legal(rules, Position.of([[1, 0, 1], [1, 0, 0]], [0, 0], 0)) == [0, 2]


def test_unless_only_allows_a_starving_move_where_there_is_no_other() -> None:
    rules = load_variant("awari", {"board.pits": 3}).rules
    assert legal(rules, Position.of([[1, 0, 0], [0, 0, 0]], [0, 0], 0)) == [0]
    assert legal(rules, Position.of([[1, 0, 1], [0, 0, 0]], [0, 0], 0)) == [2]


@pytest.mark.parametrize("pit", [6, -1, 12, True, "1", None, 10**30, 1.0])
def test_an_illegal_move_names_the_ply_the_pit_and_the_legal_pits(pit: Any) -> None:
    game = Game(load_variant("kalah").rules)
    last(game, [2, 3])
    with pytest.raises(
        UserError, match=r"ply 3: pit .* is not legal for player 1; legal pits: 0, "
    ):
        game.move(pit)
    assert len(game.moves) == 2  # and the game stands as it was


def test_a_move_after_the_end_is_illegal() -> None:
    game = at(three(), [0, 0, 0], [1, 0, 0], [0, 0])
    with pytest.raises(UserError, match=r"ply 1: pit 0 .* over \(side-empty\); legal pits: none"):
        game.move(0)


# --- who has won -----------------------------------------------------------------------------


def test_empty_first_wins_whatever_the_stores_hold() -> None:
    rules = load_variant("basic", {"board.pits": 3}).rules
    game = at(rules, [0, 0, 1], [1, 0, 0], [0, 20])
    game.move(2)
    assert (game.reason, game.winner, game.score) == ("side-empty", 0, (1, 20))
    assert game.position.pits == ((0, 0, 0), (1, 0, 0))


def test_empty_first_both_rows_empty_or_any_other_end_is_a_draw() -> None:
    rules = load_variant("basic", {"board.pits": 3, "end.max_plies": 1}).rules
    game = at(rules, [0, 0, 1], [0, 0, 0], [0, 20])
    assert (game.reason, game.winner) == ("side-empty", 1)
    game = at(rules, [0, 0, 0], [0, 0, 0], [0, 20])
    assert (game.reason, game.winner, game.score) == ("side-empty", None, (0, 20))
    game = at(rules, [1, 0, 0], [1, 0, 0], [0, 20])
    game.move(0)
    assert (game.reason, game.winner, game.score) == ("max-plies", None, (0, 20))
