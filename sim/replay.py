"""The referee's account of a move list, as the JSON object of `mancalab replay`."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sim.errors import UserError
from sim.presets import Variant, load_variant
from sim.referee import Game, Move, Round

INPUT_KEYS = ("variant", "set", "moves", "start")
MOVE_KEYS = ("ply", "player", "pit", "lifted", "laps", "captured", "gained", "extra_turn")
ROUND_KEYS = ("round", "first_player", "score", "reason")


def replay(
    variant: Variant, moves: Sequence[int], start: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Referee a move list, position by position.

    Returns the object that the command prints: `variant`, `rules` (every key), `positions` (one
    before the first move and one after each), `moves`, `rounds` and how the game stands.
    Raises `UserError` for a start that is no position and for an illegal move.

    >>> from sim.presets import load_variant
    >>> replay(load_variant("kalah"), [2])["moves"][0]["extra_turn"]
    True
    """
    game = Game(variant.rules, start)
    positions = [_position(game)]
    for pit in moves:
        game.move(pit)
        positions.append(_position(game))
    return {
        "variant": variant.name,
        "rules": variant.rules.flat(),
        "positions": positions,
        "moves": [_picked(move, MOVE_KEYS) for move in game.moves],
        "rounds": [_picked(round_, ROUND_KEYS) for round_ in game.rounds],
        "over": game.over,
        "reason": game.reason,
        "score": list(game.score),
        "winner": game.winner,
    }


def replay_lines(lines: Iterable[str | bytes]) -> Iterator[dict[str, Any]]:
    """Referee a batch: one object for each line of JSON, in order.

    A line that is wrong gives `{"error": "line 3: …"}`, and the others go on. The lines are
    read as they come, so a batch may be endless.
    """
    for number, line in enumerate(lines, 1):
        try:
            yield replay_line(line)
        except UserError as error:
            yield {"error": f"line {number}: {error}"}


def replay_line(line: str | bytes) -> dict[str, Any]:
    """Referee one line of a batch, `{"variant": "owari", "moves": [2, 3]}`.

    `set` (rule keys to override) and `start` (`pits`, `stores`, `to_move`) are optional.
    """
    given = _read(line)
    for name in given:
        if name not in INPUT_KEYS:
            raise UserError(f"there is no input key '{name}': give {', '.join(INPUT_KEYS)}")
    variant, moves = given.get("variant"), given.get("moves")
    if not isinstance(variant, str):
        raise UserError("variant must be given: a preset's name or a TOML file")
    if not isinstance(moves, list):
        raise UserError("moves must be given: a list of pits, such as [2, 3]")
    overrides = given.get("set", {})
    if not isinstance(overrides, dict):
        raise UserError('set must be an object of rule keys, such as {"board.pits": 5}')
    return replay(load_variant(variant, overrides), moves, given.get("start"))


def _read(line: str | bytes) -> dict[str, Any]:
    try:
        text = line if isinstance(line, str) else line.decode("utf-8-sig")
        given = json.loads(text.strip(), object_pairs_hook=_each_key_once)
    except json.JSONDecodeError as error:
        raise UserError(f"not valid JSON: {error.msg} (column {error.colno})") from None
    except UnicodeDecodeError:
        raise UserError("not a line of UTF-8 text") from None
    except RecursionError:
        raise UserError("not an input: its lists are nested too deeply") from None
    except ValueError:
        raise UserError("not an input: a number in it has thousands of digits") from None
    if not isinstance(given, dict):
        raise UserError('not a JSON object: give {"variant": "owari", "moves": [2, 3]}')
    return given


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for name, times in Counter(name for name, _ in pairs).items():
        if times > 1:
            raise UserError(f"'{name}' is given twice: leave one out")
    return dict(pairs)


def _position(game: Game) -> dict[str, Any]:
    position = game.position
    return {
        "ply": len(game.moves),
        "round": game.round,
        "to_move": None if game.over else position.to_move,
        "pits": [list(row) for row in position.pits],
        "stores": list(position.stores),
        "closed": [list(pits) for pits in position.closed],
        "legal": game.legal,
    }


def _picked(entry: Move | Round, keys: Sequence[str]) -> dict[str, Any]:
    """Some fields of an entry; JSON has lists for its tuples."""
    fields = {key: getattr(entry, key) for key in keys}
    return {
        key: list(value) if isinstance(value, tuple) else value for key, value in fields.items()
    }
