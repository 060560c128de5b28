"""Random games to try: rules of the whole vocabulary, and boards that no play would give."""

import random
from collections.abc import Mapping

from sim.errors import UserError
from sim.rules import Rules, Value

BOARDS = (1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10, 12)


def drawn_keys(draw: random.Random) -> dict[str, Value]:
    """Draw a value for every rule key; the combination may be an impossible one."""
    pits = draw.choice(BOARDS)
    keys: dict[str, Value] = {"board.pits": pits}
    if draw.random() < 0.2:
        keys["board.layout"] = [
            [draw.choice([0, 1, 2, 3, 5, 9]) for _ in range(pits)] for _ in "01"
        ]
    else:
        keys["board.seeds"] = draw.randint(1, 9)
    choices: Mapping[str, list[Value]] = {
        "sowing.own_store": [True, True, False],
        "sowing.opponent_store": [False, False, False, True],
        "sowing.skip_origin": [False, True],
        "sowing.relay": ["none", "occupied"],
        "sowing.max_laps": [1, 2, 3, 10, 50],
        "sowing.extra_turn": [True, True, False],
        "capture.kind": ["none", "opposite", "count"],
        "capture.needs_opposite": [False, True],
        "capture.takes_own_seed": [False, True],
        "capture.counts": [[2, 3], [1], [4], [2], [3, 1, 2], [2, 4, 6]],
        "capture.grand_slam": ["allowed", "forbidden", "no-capture", "leave-first", "leave-last"],
        "play.must_feed": ["no", "when-empty", "always", "unless-only"],
        "end.when": ["side-empty", "board-empty", "no-move"],
        "end.win_seeds": ["none", "none", "majority", 5, 20],
        "end.leftover": ["owner", "opponent"],
        "end.repetition": ["none", 2, 3],
        "end.on_repetition": ["owner", "leave"],
        "end.max_plies": [40, 100, 300],
        "end.goal": ["most-seeds", "most-seeds", "most-seeds", "most-seeds", "empty-first"],
        "match.kind": ["single", "single", "sunog"],
        "match.refill": [1, 2, 3, 4, 5, 7, 8],
        "match.fill_from": ["near", "far"],
        "match.reopen": [False, True],
        "match.starter": ["unburnt", "loser", "winner", "last-mover", "alternate"],
        "match.max_rounds": [1, 2, 5, 12],
    }
    return keys | {key: draw.choice(values) for key, values in choices.items()}


def drawn_rules(draw: random.Random) -> Rules:
    """Draw rules until they are a possible game."""
    while True:
        try:
            return Rules.of(drawn_keys(draw))
        except UserError:
            continue


def drawn_board(draw: random.Random, rules: Rules) -> tuple[list[list[int]], list[int]]:
    """Draw rows and stores that hold the seeds of the variant, many pits empty."""
    pits = rules.board.pits
    cells = [0] * (2 * pits + 2)
    some = draw.sample(range(2 * pits), k=draw.randint(1, 2 * pits))
    favoured = [*some, 2 * pits, 2 * pits + 1]
    for _ in range(rules.total):
        cells[draw.choice(favoured)] += 1
    return [cells[:pits], cells[pits : 2 * pits]], cells[2 * pits :]
