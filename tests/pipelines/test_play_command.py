"""`mancalab play`: what is shown, what a person may type, and how a game is left."""

import io
import re
import shlex
import sys

import pytest
from command import Said, mancalab, refused

from pipelines.tabletop.board import draw
from sim.presets import load_variant, preset_names
from sim.referee import Position


class Player:
    """Types lines at `mancalab play`."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch

    def said(self, typed: str | bytes, *arguments: str) -> Said:
        """Type words, a line each, or bytes as they are."""
        given = typed.replace(" ", "\n").encode() if isinstance(typed, str) else typed
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), "utf-8"))
        return mancalab(self._capsys, "play", *arguments)

    def shown(self, typed: str | bytes, *arguments: str) -> str:
        code, out, err = self.said(typed, *arguments)
        assert (code, err) == (0, "")
        return out

    def replayed(self, out: str) -> str:
        """Return what the command prints with which a game's last line replays it."""
        words = shlex.split(out.splitlines()[-1])
        assert words[:2] == ["mancalab", "replay"]
        code, again, _ = mancalab(self._capsys, *words[1:])
        assert code == 0
        return again


@pytest.fixture
def player(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Player:
    return Player(capsys, monkeypatch)


TWO_PEOPLE = ("--north", "human")

KALAH = """\
kalah 3×2: South (human) against North (human)
Last move: - lifted, + sown, * last seed, ! captured. (2) may be chosen.
Type a pit's number, or hint, undo, rules, moves, help or quit.

North     2    1    0
[  0]     2    2    2
          2    2    2  [  0]
South    (0)  (1)  (2)
South, pit (0 1 2)? 1

ply 1: South sows pit 1 (2), gains 1, moves again
North     2    1    0
[  0]     2    2    2
          2    0-   3+ [  1]*
South    (0)   1   (2)
South, pit (0 2)? 2

ply 2: South sows pit 2 (3), gains 1
North    (2)  (1)  (0)
[  0]     2    3*   3+
          2    0    0- [  2]+
South     0    1    2
North, pit (0 1 2)? 1

ply 3: North sows pit 1 (3), gains 1
North     2    1    0
[  1]+    3+   0-   3
          3*   0    0  [  2]
South    (0)   1    2
South, pit (0)? 0

ply 4: South sows pit 0 (3), gains 1, moves again
North     2    1    0
[  1]     3    0    3
          0-   1+   1+ [  3]*
South     0   (1)  (2)
South, pit (1 2)? 2

ply 5: South sows pit 2 (1), gains 1, moves again
North     2    1    0
[  1]     3    0    3
          0    1    0- [  4]*
South     0   (1)   2
South, pit (1)? 1

ply 6: South sows pit 1 (1), captures 4, gains 4
North     2    1    0
[  1]     3    0    0!
          0    0-   0* [  8]
South     0    1    2
what is left is collected: South 0, North 3

The game is over: a row is empty (side-empty).
South 8, North 4: South (human) wins.
mancalab replay kalah --set board.pits=3 --set board.seeds=2 --moves '1 2 1 0 2 1'
"""


def test_a_whole_game(player: Player) -> None:
    out = player.shown("1 2 1 0 2 1", "kalah", "--pits", "3", "--seeds", "2", *TWO_PEOPLE)
    assert out == KALAH
    assert player.replayed(out).endswith("over (side-empty): 8 to 4, player 0 wins\n")


def test_clockwise_the_store_lies_at_the_left(player: Player) -> None:
    out = player.shown("0", "congkak", *TWO_PEOPLE)
    north, pits, store, south = out.splitlines()[4:8]
    assert north.split() == ["North", "0", "1", "2", "3", "4", "5", "6"]
    assert pits == "          7    7    7    7    7    7    7  [  0]"
    assert store == "[  0]     7    7    7    7    7    7    7"
    assert south == "South    (6)  (5)  (4)  (3)  (2)  (1)  (0)"
    assert "[  1]*    8+   8+   8+   8+   8+   8+   0-\n" in out


MATCH = ("sungka", "--set", "match.kind=sunog", "--pits", "3", "--seeds", "3")


def test_a_match_tells_its_rounds_and_burnt_pits(player: Player) -> None:
    out = player.shown(
        "", *MATCH, "--set", "match.max_rounds=3", "--south", "greedy", "--north", "random"
    )
    lines = out.splitlines()
    assert ", x: burnt." in out
    begun = [line for line in lines if line.startswith("round 2 of at most 3: ")]
    assert len(begun) == 1
    assert "burnt pits: " in begun[0]
    board = lines[lines.index(begun[0]) + 1 :][:4]
    assert "".join(board).count("   x") == len(begun[0].partition("burnt pits: ")[2].split()) - 1
    ended = [line for line in lines if line.startswith("round ") and "is over: " in line]
    won = " ".join(out.split()).count(", won by South")
    assert f"Rounds: {len(ended)}; South won {won}, " in out
    replayed = player.replayed(out)
    score = out.splitlines()[-2].partition(":")[0].replace("South ", "").replace(", North", " to")
    assert score in replayed.splitlines()[-1]


def test_a_burnt_pit_is_refused_as_such(player: Player) -> None:
    moves = player.shown("", *MATCH, "--south", "greedy", "--north", "random")
    played = shlex.split(moves.splitlines()[-1])[-1].split()
    out = player.shown(" ".join(played[:400]), *MATCH, *TWO_PEOPLE)
    assert out.count("round 2 of at most 100") == 1
    burnt = out.partition("burnt pits: ")[2].split(maxsplit=3)[:2]
    mover = "South" if burnt[0] == "South" else "North"
    at = out.index(f"{mover}, pit (", out.index("burnt pits: "))
    before = out[:at].count("? ")
    again = player.shown(" ".join([*played[:before], burnt[1]]), *MATCH, *TWO_PEOPLE)
    assert f"pit {burnt[1]} is burnt in this round\n" in again


def test_hint(player: Player) -> None:
    out = player.shown("hint 2 hi", "kalah", "--hint", "greedy", *TWO_PEOPLE)
    assert "South, pit (0 1 2 3 4 5)? hint\ngreedy would play pit 2\n" in out
    assert "South, pit (0 1 3 4 5)? hi\ngreedy would play pit " in out
    assert out.endswith("--moves 2\n")


@pytest.mark.parametrize(
    ("variant", "adviser", "worth"),
    [
        ("kalah", "minimax:3", r", worth \+\d seeds to South"),
        ("kalah", "mcts:50", r", worth 0\.\d+ points to South"),
        ("kalah", "mcts:50,reward=margin", r", worth 0\.\d+ of all seeds to South"),
        ("basic", "minimax:3", ""),
        ("basic", "mcts:50,reward=margin", r", worth 0\.\d+ points to South"),
    ],
)
def test_a_hint_says_what_it_is_worth(
    player: Player, variant: str, adviser: str, worth: str
) -> None:
    out = player.shown("hint", variant, "--hint", adviser, *TWO_PEOPLE)
    assert re.search(f"^{adviser} would play pit \\d{worth}$", out, re.MULTILINE)


def test_a_search_that_keeps_its_tree_plays_on_after_an_undo(player: Player) -> None:
    out = player.shown("2 5 u 4 3 0 1", "kalah", "--north", "mcts:50")
    assert "back at ply 2\n" in out
    assert player.replayed(out)


def test_undo_goes_back_to_ones_own_choice_and_the_answer_stays_the_same(player: Player) -> None:
    out = player.shown("2 5 0 u u 5 0", "kalah", "--north", "greedy", "--seed", "3")
    once, again, back = out.partition("back at ply 2\n")
    assert "ply 1: South sows pit 2" in back.partition("? ")[0]
    assert "\nback at ply " in once
    ending = once[once.index("\nply 2: ") : once.index("\nback at ply ")]
    answers, later = ending.rsplit("South, pit", 1)
    assert again
    assert later.endswith("? u")
    assert answers in back


def test_undo_with_nothing_to_take_back(player: Player) -> None:
    for opening in ("0", "3"):  # what was drawn is nobody's choice
        out = player.shown("undo", "kalah", *TWO_PEOPLE, "--opening-plies", opening)
        assert "there is no choice of yours to take back\n" in out


def test_undo_between_two_people_takes_back_a_move_each(player: Player) -> None:
    out = player.shown("0 0 u u moves", "kalah", *TWO_PEOPLE)
    assert "back at ply 2\n" in out
    assert "back at ply 1\n" in out
    assert "? moves\nmancalab replay kalah --moves ''\n" in out


def test_rules_moves_and_help(player: Player) -> None:
    out = player.shown("rules 2 moves help ?", "oware", *TWO_PEOPLE)
    assert "\nCaptures\n- If the last seed falls into a pit of the opponent's row" in out
    assert "? moves\nmancalab replay oware --moves 2\n" in out
    assert out.count("undo      back to the last choice of yours\n") == 2
    assert max(map(len, out.splitlines())) <= 80


SLAM = ("--set", "board.layout=[[1,0,0,0,0,2],[1,1,0,0,0,0]]")


@pytest.mark.parametrize(
    ("typed", "arguments", "answer"),
    [
        ("6", ["kalah"], "there is no pit 6: pits are 0 to 5"),
        ("12345", ["kalah"], "there is no pit 12345"),
        ("9" * 5000, ["kalah"], "there is no pit 99999999999999999..."),
        ("2 2", ["kalah"], "pit 2 is empty"),
        ("-1", ["kalah"], "'-1' is neither a pit nor one of hint, undo, rules"),
        ("²", ["kalah"], "'²' is neither a pit"),
        ("unde", ["kalah"], "(did you mean 'undo'?)"),
        ("h", ["kalah"], "'h' could be hint or help"),
        ("\x1b[A\x00", ["kalah"], "? ?[A?\n"),
        ("5", ["owari", *SLAM], "pit 5 would capture all of North's seeds, which is forbidden"),
        ("0", ["oware", "--set", "board.layout=[[1,0,0,0,0,1],[0,0,0,0,0,0]]"],
         "pit 0 would leave North without a seed in the row"),
    ],
    ids=lambda part: str(part)[:30],
)  # fmt: skip
def test_what_cannot_be_done_is_answered_and_asked_again(
    player: Player, typed: str, arguments: list[str], answer: str
) -> None:
    out = player.shown(typed, *arguments, *TWO_PEOPLE)
    assert answer in out
    assert out.replace("\n", "").isprintable()
    assert "\nleft at ply " in out


def test_bytes_that_are_no_text(player: Player) -> None:
    out = player.shown(b"\xff\xfe\n2\n", "kalah", *TWO_PEOPLE)
    assert "' is neither a pit nor" in out
    assert out.endswith("--moves 2\n")


@pytest.mark.parametrize("typed", ["", "quit", "q"])
def test_leaving(player: Player, typed: str) -> None:
    out = player.shown(f"2 0 {typed}", "kalah", *TWO_PEOPLE)
    assert out.endswith("\nleft at ply 3\nmancalab replay kalah --moves '2 0'\n")


def test_two_players_are_watched(player: Player) -> None:
    watch = ("kalah", "--south", "greedy", "--north", "random")
    out = player.shown("", *watch, "--seed", "5")
    assert "pit (" not in out
    assert "Type a" not in out
    assert out.replace("\n", "").isprintable()
    assert out == player.shown("", *watch, "--seed", "5")
    assert out != player.shown("", *watch, "--seed", "6")
    over, score = player.replayed(out).splitlines()[-1], out.splitlines()[-2]
    south, north = score.partition(":")[0].replace(",", "").split()[1::2]
    assert f"{south} to {north}" in over


def test_openings_are_drawn_for_people_too(player: Player) -> None:
    opening = ("--opening-plies", "4", *TWO_PEOPLE)
    played = [player.shown("", "oware", *opening, "--seed", seed) for seed in ("1", "2")]
    assert all("ply 4: " in out and "\nleft at ply 5\n" in out for out in played)
    assert played[0] != played[1]


@pytest.mark.parametrize("preset", preset_names())
def test_presets_fit_80_columns_on_the_widest_board(player: Player, preset: str) -> None:
    typed = " ".join(map(str, [*range(12)] * 3))
    sets = ("--set", "match.kind=single", "--pits", "12", "--seeds", "10")
    board = player.shown(f"{typed} rules", preset, *sets, *TWO_PEOPLE).splitlines()
    assert max(len(line) for line in board if not line.startswith("mancalab replay")) <= 80
    assert any("(11)" in line for line in board)


def test_counts_of_three_digits_stay_in_line() -> None:
    rules = load_variant("kalah", {"board.pits": 12, "board.seeds": 10}).rules
    position = Position.of([[255] * 12] * 2, [255, 255], 0)
    marks = {(owner, pit): "taken" for owner in (0, 1) for pit in range(13)}
    north, above, below, south = draw(rules, position, range(12), marks)
    assert max(map(len, (north, above, below, south))) <= 80
    assert (above.count("255!"), below.count("255!")) == (12, 12)
    last_digits = [at - 1 for at, sign in enumerate(below) if sign == "!"][:12]
    assert [south[at] for at in last_digits] == list("012345678901")


def test_the_moves_can_be_pasted_with_every_kind_of_key(player: Player) -> None:
    sets = ["end.win_seeds=none", "capture.counts=[2, 3, 4]", "play.must_feed=always"]
    options = [part for item in sets for part in ("--set", item)]
    out = player.shown("", "owari", *options, "--south", "random", "--north", "random")
    assert "'capture.counts=[2, 3, 4]'" in out.splitlines()[-1]
    assert "over (" in player.replayed(out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'VARIANT'"),
        (["nope"], "there is no variant 'nope'"),
        (["kalah", "--south", "humn"], "--south: there is no agent 'humn'"),
        (["kalah", "--north", "mcts"], "--north: agent 'mcts': its simulations is missing"),
        (["kalah", "--hint", "human"], "--hint: there is no agent 'human'"),
        (["kalah", "--pits", "3,4"], "--pits 3,4: a game has one board"),
        (["kalah", "--pits", "x"], "--pits x: give numbers"),
        (["kalah", "--pits", "3", "--set", "board.pits=3"], "are both given"),
        (["kalah", "--seed", "-1"], "'--seed'"),
        (["kalah", "--set", "board.pits=3", "--set", "board.pits=4"], "is given 2 times"),
    ],
    ids=lambda part: str(part)[:40],
)
def test_what_is_wrong_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert message in refused(mancalab(capsys, "play", *arguments))
