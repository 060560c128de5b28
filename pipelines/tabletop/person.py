"""What a person types at a board, and what is done about it."""

from collections.abc import Callable

from pipelines.messages import folded
from pipelines.tabletop import screen
from pipelines.tabletop.board import SEATS
from pipelines.tabletop.game import GameInPlay
from pipelines.tabletop.words import hint_in_words, pits_in_words, refusal
from sim.agents import Agent
from sim.describe import describe
from sim.errors import brief, did_you_mean

HELP = """\
a number  sow that pit
hint      what another player would play here
undo      back to the last choice of yours
rules     what is played
moves     the game so far, as a command that replays it
quit      leave, as Ctrl-D and Ctrl-C do
Words may be cut short: u undoes."""


class Person:
    """Asks a person for moves until there is one, and answers questions in between.

    `adviser` gives hints, `so_far` returns the moves as a command.
    """

    def __init__(self, game: GameInPlay, adviser: Agent, so_far: Callable[[], str]) -> None:
        self._game, self._adviser, self._so_far = game, adviser, so_far
        self._commands = {
            "hint": self._hint,
            "undo": self._undo,
            "rules": self._rules,
            "moves": lambda: print(self._so_far()),
            "help": lambda: print(HELP),
            "quit": self._quit,
        }

    def act(self) -> None:
        """Have the game changed by a move, or by taking one back.

        Raises `EOFError` when the person leaves, or at the end of input.
        """
        before = len(self._game.referee.moves)
        while len(self._game.referee.moves) == before:
            referee = self._game.referee
            seat = SEATS[referee.position.to_move]
            typed = screen.read(f"{seat}, pit ({pits_in_words(referee.legal)})? ").strip().lower()
            if typed.isascii() and typed.isdigit():
                self._play(typed)
            else:
                self._command(typed)

    def _play(self, typed: str) -> None:
        referee = self._game.referee
        if len(typed) > 4:
            print(f"there is no pit {brief(typed, 20)}")
        elif (pit := int(typed)) in referee.legal:
            self._game.play(pit)
        else:
            print(refusal(referee, pit))

    def _command(self, typed: str) -> None:
        if not typed:
            return
        meant = [name for name in self._commands if name.startswith(typed)]
        if typed == "?":
            meant = ["help"]
        if len(meant) == 1:
            self._commands[meant[0]]()
        elif meant:
            print(f"'{typed}' could be {' or '.join(meant)}")
        else:
            known = ", ".join(self._commands) + did_you_mean(typed, self._commands)
            print(f"'{brief(typed, 20)}' is neither a pit nor one of {known}")

    def _hint(self) -> None:
        agent = self._adviser
        choice = screen.thought(lambda: self._game.ask(agent), f"{agent.text} is thinking")
        mover = self._game.referee.position.to_move
        print(hint_in_words(self._game.rules, mover, choice, agent))

    def _undo(self) -> None:
        if self._game.undo():
            print(f"back at ply {len(self._game.referee.moves) + 1}")
        else:
            print("there is no choice of yours to take back")

    def _rules(self) -> None:
        for heading, sentences in describe(self._game.rules).items():
            print(f"\n{heading}")
            for sentence in sentences:
                print(folded(f"- {sentence}", indent=2))
        print()

    def _quit(self) -> None:
        raise EOFError  # as Ctrl-D does
