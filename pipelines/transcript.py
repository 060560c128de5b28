"""A replayed game as text to be read: each move in words, and the board that it leads to."""

from collections.abc import Iterator, Mapping
from typing import Any

from pipelines.drawing import draw_board
from sim.presets import Variant


def transcript(variant: Variant, replayed: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a replay.

    `replayed` is the object that `sim.replay.replay` has built for `variant`.
    """
    told = 0
    for position in replayed["positions"]:
        ply = position["ply"]
        if ply:
            move = replayed["moves"][ply - 1]
            yield from ("", move_in_words(move, f"player {move['player']}"))
        else:
            yield f"{variant.name}, the start"
        finished = len(replayed["rounds"]) if position["to_move"] is None else position["round"] - 1
        if variant.rules.match.kind != "single":
            yield from map(_round, replayed["rounds"][told:finished])
        told = finished
        board = position["pits"], position["stores"], position["closed"]
        yield from draw_board(variant.rules, *board)
        if position["to_move"] is not None:
            legal = " ".join(map(str, position["legal"]))
            yield f"player {position['to_move']} to move, legal pits {legal}"
    if replayed["over"]:
        yield _result(replayed)


def move_in_words(move: Mapping[str, Any], mover: str) -> str:
    """Say what a move did, from the fields of `sim.referee.Move`.

    >>> from sim.presets import load_variant
    >>> from sim.replay import replay
    >>> move_in_words(replay(load_variant("kalah"), [2])["moves"][0], "South")
    'ply 1: South sows pit 2 (4), gains 1, moves again'
    """
    laps = "" if move["laps"] == 1 else f" in {move['laps']} laps"
    words = [f"ply {move['ply']}: {mover} sows pit {move['pit']}"]
    words[0] += f" ({move['lifted']}{laps})"
    if move["captured"]:
        words.append(f"captures {move['captured']}")
    if move["gained"]:
        words.append(f"gains {move['gained']}")
    if move["extra_turn"]:
        words.append("moves again")
    return ", ".join(words)


def _round(ended: dict[str, Any]) -> str:
    south, north = ended["score"]
    return f"round {ended['round']} ends ({ended['reason']}) {south} to {north}"


def _result(replayed: dict[str, Any]) -> str:
    south, north = replayed["score"]
    winner = replayed["winner"]
    result = "a draw" if winner is None else f"player {winner} wins"
    return f"over ({replayed['reason']}): {south} to {north}, {result}"
