"""Between the rounds of a match: refilling, burnt pits, who begins, and the match's end."""

from collections.abc import Sequence

import pytest
from boards import at, three

from sim.referee import Game, Position, step
from sim.rules import Rules, Value


def sunog(keys: dict[str, Value] | None = None) -> Rules:
    return three({"match.kind": "sunog", **(keys or {})})


def second_round(keys: dict[str, Value], stores: Sequence[int]) -> Game:
    """A match after its first round, which a move of player 0 has ended with these stores."""
    game = at(sunog(keys), [0, 0, 1], [0, 0, 1], [stores[0] - 1, stores[1] - 1])
    game.move(2)
    assert game.rounds[0].score == tuple(stores)
    return game


def test_pits_are_filled_from_the_store_outward_and_the_surplus_stays() -> None:
    game = second_round({}, [7, 5])
    assert game.position == Position.of([[2, 2, 2], [0, 2, 2]], [1, 1], 0, [[], [0]])
    assert (game.round, game.rounds[0].score, game.rounds[0].reason) == (2, (7, 5), "side-empty")


def test_pits_are_filled_from_far() -> None:
    game = second_round({"match.fill_from": "far"}, [9, 3])
    assert game.position.pits == ((2, 2, 2), (2, 0, 0))
    assert game.position.closed == ((), (1, 2))


def test_refill_differs_from_the_seeds_of_the_start() -> None:
    game = second_round({"match.refill": 3}, [7, 5])
    assert game.position.pits == ((0, 3, 3), (0, 0, 3))


@pytest.mark.parametrize(
    ("starter", "stores", "begins"),
    [
        ("unburnt", [9, 3], 0),
        ("unburnt", [3, 9], 1),
        ("unburnt", [7, 6], 1),  # none burnt: the one who did not begin the round before
        ("loser", [9, 3], 1),
        ("loser", [6, 6], 1),
        ("winner", [7, 6], 0),  # by the surplus
        ("winner", [6, 6], 1),
        ("last-mover", [3, 9], 0),
        ("alternate", [9, 3], 1),
    ],
)
def test_who_begins_the_next_round(starter: str, stores: list[int], begins: int) -> None:
    assert second_round({"match.starter": starter}, stores).position.to_move == begins


@pytest.mark.parametrize(("reopen", "closed"), [(True, (0,)), (False, (0, 1))])
def test_a_burnt_pit_reopens_or_stays_closed(reopen: bool, closed: tuple[int, ...]) -> None:
    game = second_round({"match.reopen": reopen, "end.max_plies": 1}, [9, 3])
    assert game.position.closed == ((), (0, 1))
    game.move(2)  # the second seed skips the two burnt pits; then the round is cut off
    assert game.rounds[1].score == (8, 4)
    assert game.position.closed == ((), closed)


def test_sowing_skips_closed_pits_and_captures_find_them_empty() -> None:
    rules = sunog()
    before = Position.of([[3, 1, 0], [0, 4, 4]], [0, 0], 0, [[], [0]])
    after, _ = step(rules, before, 0)
    assert after.pits == ((0, 2, 1), (0, 4, 4))
    after, _ = step(rules, before, 1)  # an empty pit, but it faces the closed one
    assert after.pits == ((3, 0, 1), (0, 4, 4))


def test_burnt_out_comes_before_max_rounds_and_is_won_by_who_can_fill() -> None:
    game = second_round({"match.max_rounds": 1}, [11, 1])
    assert (game.reason, game.winner, game.score) == ("burnt-out", 0, (11, 1))
    assert (game.legal, game.round, len(game.rounds)) == ([], 1, 1)


def test_where_neither_can_fill_the_larger_store_wins() -> None:
    game = second_round({"match.refill": 9}, [7, 5])
    assert (game.reason, game.winner) == ("burnt-out", 0)


def test_max_rounds_goes_by_the_larger_store() -> None:
    assert second_round({"match.max_rounds": 1}, [5, 7]).winner == 1
    assert second_round({"match.max_rounds": 1}, [6, 6]).winner is None
    assert second_round({"match.max_rounds": 1}, [6, 6]).reason == "max-rounds"


def test_a_match_over_at_its_start_ends_there_with_the_rounds_reason() -> None:
    game = at(sunog(), [0, 0, 0], [1, 0, 0], [2, 4])
    assert (game.over, game.reason, game.winner, game.rounds) == (True, "side-empty", 1, [])
    assert game.score == (2, 5)


def test_a_later_round_over_before_its_first_move_counts() -> None:
    """With one pit of one seed each and must_feed, the capture of the whole row is no move."""
    rules = Rules.of(
        {
            "board.pits": 1,
            "board.seeds": 1,
            "sowing.own_store": False,
            "capture.kind": "count",
            "capture.counts": [2],
            "play.must_feed": "always",
            "match.kind": "sunog",
            "match.max_rounds": 4,
            "end.max_plies": 1,
        }
    )
    game = at(rules, [2], [1], [0, 0])
    game.move(0)
    assert [(r.reason, r.plies, r.first_player) for r in game.rounds][1:] == [
        ("no-move", 0, 1),
        ("no-move", 0, 0),
        ("no-move", 0, 1),
    ]
    assert (game.reason, game.round, len(game.positions)) == ("max-rounds", 4, 2)
