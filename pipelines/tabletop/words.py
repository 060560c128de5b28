"""What is said about a game: its ends, its rounds, why a pit may not be played."""

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pipelines.tabletop.board import SEATS
from pipelines.tabletop.game import Choice
from sim.agents import Agent
from sim.referee import Game, Position, Round, sow
from sim.rules import Rules, Value


def replay_line(variant: str, keys: Mapping[str, Value], game: Game) -> str:
    """Return the command that replays a game, as it can be pasted into a shell.

    >>> from sim.presets import load_variant
    >>> game = Game(load_variant("kalah").rules)
    >>> move = game.move(2)
    >>> replay_line("kalah", {"board.seeds": 4, "capture.counts": [3]}, game)
    "mancalab replay kalah --set board.seeds=4 --set 'capture.counts=[3]' --moves 2"
    """
    words = ["mancalab", "replay", variant]
    for name, value in keys.items():
        text = value if isinstance(value, str) else json.dumps(value)
        words += ["--set", f"{name}={text}"]
    return shlex.join([*words, "--moves", " ".join(str(move.pit) for move in game.moves)])


def pits_in_words(pits: Sequence[int]) -> str:
    """List pits as they are shown everywhere.

    >>> pits_in_words([0, 2])
    '0 2'
    """
    return " ".join(map(str, pits))


def refusal(game: Game, pit: int) -> str:
    """Say why a pit cannot be played.

    >>> from sim.presets import load_variant
    >>> refusal(Game(load_variant("kalah").rules), 6)
    'there is no pit 6: pits are 0 to 5'
    """
    rules, position = game.rules, game.position
    mover = position.to_move
    if pit >= rules.board.pits:
        return f"there is no pit {pit}: pits are 0 to {rules.board.pits - 1}"
    if pit in position.closed[mover]:
        return f"pit {pit} is burnt in this round"
    if not position.pits[mover][pit]:
        return f"pit {pit} is empty"
    other = SEATS[1 - mover]
    if sow(rules, position, pit).slam and rules.capture.grand_slam == "forbidden":
        return f"pit {pit} would capture all of {other}'s seeds, which is forbidden"
    return f"pit {pit} would leave {other} without a seed in the row, which is forbidden here"


def hint_in_words(rules: Rules, mover: int, choice: Choice, agent: Agent) -> str:
    """Say what a player would play, and what it takes that to be worth.

    >>> from sim.agents import parse_agent
    >>> from sim.presets import load_variant
    >>> kalah = load_variant("kalah").rules
    >>> hint_in_words(kalah, 0, Choice(2, 3.0), parse_agent("minimax:8"))
    'minimax:8 would play pit 2, worth +3 seeds to South'
    >>> hint_in_words(kalah, 1, Choice(2, 0.5), parse_agent("mcts:400"))
    'mcts:400 would play pit 2, worth 0.5 points to North'
    """
    words = f"{agent.text} would play pit {choice.pit}"
    unit = agent.unit
    if rules.end.goal == "empty-first":  # stores win nothing: only shares of wins can be read
        unit = "points" if unit == "of all seeds" else unit.replace("seeds", "")
    if choice.worth is None or not unit:
        return words
    worth = choice.worth + 0.0  # no minus before a zero
    # A margin may be to either side's good; points and shares are never below 0.
    number = f"{worth:+.3g}" if unit == "seeds" else f"{worth:.3g}"
    return f"{words}, worth {number} {unit} to {SEATS[mover]}"


def collected_in_words(left: Position, ended: Round) -> str:
    """Say who collected what from the board that a round's last move left, if anybody did."""
    south, north = (after - before for before, after in zip(left.stores, ended.score, strict=True))
    return f"what is left is collected: South {south}, North {north}" if south or north else ""


def round_in_words(ended: Round) -> str:
    """Say how a round of a match has ended."""
    south, north = ended.score
    won = "drawn" if ended.winner is None else f"won by {SEATS[ended.winner]}"
    return (
        f"round {ended.round} is over: {_why(ended.reason)} ({ended.reason});"
        f" South {south}, North {north}, {won}"
    )


def begun_in_words(rules: Rules, number: int, position: Position) -> str:
    """Say how a later round of a match begins."""
    burnt = [
        f"{SEATS[player]} {pits_in_words(position.closed[player])}"
        for player in (0, 1)
        if position.closed[player]
    ]
    words = f"round {number} of at most {rules.match.max_rounds}: {SEATS[position.to_move]} begins"
    return f"{words}; burnt pits: {', '.join(burnt)}" if burnt else f"{words}; no pit is burnt"


def result_in_words(game: Game, names: Sequence[str]) -> Iterator[str]:
    """Say how a game has ended."""
    south, north = game.score
    yield f"The game is over: {_why(game.reason or '')} ({game.reason})."
    if game.rules.match.kind != "single" and game.rounds:
        won = Counter(ended.winner for ended in game.rounds)
        yield (
            f"Rounds: {len(game.rounds)}; South won {won[0]}, North {won[1]}, drawn {won[None]}."
        )
    result = "a draw" if game.winner is None else f"{names[game.winner]} wins"
    if game.winner is not None and game.rules.end.goal == "empty-first":
        result += ", whose row is empty first"
    yield f"South {south}, North {north}: {result}."


def _why(reason: str) -> str:
    return {
        "win-seeds": "a store holds enough seeds to win",
        "side-empty": "a row is empty",
        "board-empty": "both rows are empty",
        "no-move": "the player to move has no legal move",
        "repetition": "the position has come up too often",
        "max-plies": "it has had as many moves as a round may have",
        "max-laps": "the move went round as often as it may",
        "burnt-out": "a player cannot fill even one pit",
        "max-rounds": "it has had as many rounds as a match may have",
    }[reason]
