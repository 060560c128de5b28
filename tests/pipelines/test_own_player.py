"""A player of one's own: in every command as any other, and in datasets that stand alone."""

import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest
from command import mancalab, refused
from played import plan_of, rows_of

from pipelines import connect
from pipelines.dataset import open_dataset, read_plans
from pipelines.executors import Threads
from pipelines.merge import merge
from pipelines.plan import parse_plan, read_plan
from pipelines.verify import verify
from sim.agents import source as sources
from sim.errors import UserError

EXAMPLE = Path(__file__).parents[2] / "data" / "examples" / "my_player.py"
DRAWS = "def draws(position):\n    return position.random.choice(position.legal), 0.5\n"
LAST = "def last(position):\n    return position.legal[-1]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with files, as a process that has read none of them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sources, "_KNOWN", {})
    (tmp_path / "my.py").write_text(DRAWS + LAST)
    return tmp_path


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_KNOWN", {})


def played(capsys: pytest.CaptureFixture[str], *line: str) -> str:
    code, said, told = mancalab(capsys, "run", *line)
    assert code == 0, told
    return said


def test_it_plays_as_others_do(capsys: pytest.CaptureFixture[str]) -> None:
    line = ("kalah", "sungka", "--pits", "3,4", "--agent", "my.py:draws", "--agent",
            "my.py:last,eps=0.25", "--agent", "greedy", "--pairing", "mirror", "--games", "20",
            "--opening-plies", "2", "--log-search")  # fmt: skip
    played(capsys, *line, "--threads", "1", "--out", "one")
    played(capsys, *line, "--threads", "4", "--out", "four")
    assert rows_of(Path("one")).equals(rows_of(Path("four")))
    con = connect("one")
    seal = sources.read_source(Path("my.py")).seal
    agents = {agent for [agent] in con.execute("SELECT DISTINCT agent0 FROM cells").fetchall()}
    assert agents == {f"my.py:draws#{seal}", f"my.py:last#{seal},eps=0.25", "greedy"}
    assert con.execute("SELECT count(*) FROM cells").fetchall() == [(4 * 6,)]
    thought = """SELECT DISTINCT CASE player WHEN 0 THEN agent0 ELSE agent1 END AS agent
    FROM moves JOIN cells USING (cell) WHERE search_worth = 0.5 AND ply > 2"""
    assert con.execute(thought).fetchall() == [(f"my.py:draws#{seal}",)]
    assert verify(Path("one"), Threads(2)).faults == []


def test_a_dataset_stands_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ("kalah", "--agent", "my.py:draws", "--games", "20")
    played(capsys, *line, "--out", "d")
    assert "nothing to do" in played(capsys, *line, "--out", "d")
    Path("my.py").unlink()
    forget(monkeypatch)
    text = Path("d/plan.toml").read_text()
    assert 'agents = [["my.py:draws#' in text
    assert verify(Path("d"), Threads(1)).faults == []
    assert mancalab(capsys, "report", "d")[0] == 0
    assert "my.py:draws#" in mancalab(capsys, "sql", "d", "-c", "SELECT agent0 FROM cells")[1]
    # More games, and none of them from the file.
    Path("d/plan.toml").write_text(text.replace("games = 20", "games = 30"))
    forget(monkeypatch)
    assert "10 games played" in played(capsys, "--plan", "d/plan.toml", "--out", "d")
    Path("my.py").write_text(DRAWS + LAST)
    played(capsys, *line[:-1], "30", "--out", "e")
    assert rows_of(Path("d")).equals(rows_of(Path("e")))


def test_its_file_travels_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = plan_of({"grid": {"variant": ["kalah"], "agents": [["my.py:last,eps=0.5"] * 2]}}).cells[
        0
    ]
    packed = pickle.dumps(cell)
    Path("my.py").unlink()
    forget(monkeypatch)
    assert pickle.loads(packed) == cell
    assert sources.source_of(cell.agents[0].seal).function("last")  # type: ignore[attr-defined]


def test_reading_a_dataset_does_not_run_its_players(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = f"from pathlib import Path\nPath({str(folder / 'ran')!r}).touch()\n"
    Path("my.py").write_text(f"{ran}{DRAWS}")
    played(capsys, "kalah", "--agent", "my.py:draws", "--games", "5", "--out", "d")
    (folder / "ran").unlink()
    forget(monkeypatch)
    for command in (["status", "d"], ["report", "d"], ["verify", "d"], ["merge", "d", "--out", "m"],
                    ["export", "d", "--moves", "--out", "x"]):  # fmt: skip
        assert mancalab(capsys, *command)[0] == 0
    assert mancalab(capsys, "run", "--plan", "d/plan.toml", "--out", "d")[0] == 0
    assert not (folder / "ran").exists()


@pytest.mark.parametrize("log", ["games", "none"])
def test_games_without_moves_are_played_anew_from_the_plan(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, log: str
) -> None:
    line = ("kalah", "--agent", "my.py:draws", "--games", "15", "--log", log)
    played(capsys, *line, "--out", "d")
    Path("my.py").unlink()
    forget(monkeypatch)
    report = verify(Path("d"), Threads(1))
    assert (report.faults, report.anew) == ([], 15)
    merge([Path("d")], Path("m"))
    forget(monkeypatch)
    assert verify(Path("m"), Threads(1)).faults == []


def test_an_edited_file_is_another_player(capsys: pytest.CaptureFixture[str]) -> None:
    line = ("kalah", "--agent", "my.py:draws", "--games", "5", "--out", "d")
    played(capsys, *line)
    Path("my.py").write_text(f"{DRAWS}# other\n")
    said = refused(mancalab(capsys, "run", *line))
    assert "holds another plan: it has kalah 6×4, my.py:draws#" in said
    seal = read_plans(Path("d"))[0].cells[0].agents[0].seal  # type: ignore[attr-defined]
    said = refused(mancalab(capsys, "run", "kalah", "--agent", f"my.py:draws#{seal}", "--dry-run"))
    assert f"my.py is another version, #{sources.read_source(Path('my.py')).seal}: leave" in said


def test_two_files_of_one_name_are_refused_and_one_under_two_names_is_one() -> None:
    for place in ("a", "b"):
        Path(place).mkdir()
    Path("a/my.py").write_text(DRAWS)
    Path("b/my.py").write_text(LAST)

    def plan(*agents: str) -> Any:
        return plan_of({"grid": {"variant": ["kalah"], "agents": [[a, a] for a in agents]}})

    with pytest.raises(UserError, match=r"b/my.py and a/my.py are two files of one name: rename"):
        plan("a/my.py:draws", "b/my.py:last")
    shutil.copy("a/my.py", "b/my.py")
    both = plan("a/my.py:draws", "b/my.py:draws")
    assert len(both.cells) == 1
    assert both.note
    assert parse_plan(both.document, "again", Path("elsewhere")).cells == both.cells


def test_a_plans_file_finds_players_beside_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    shutil.move("my.py", "sub/my.py")
    path = tmp_path / "sub" / "plan.toml"
    path.write_text(
        'games = 3\n[grid]\nvariant = "kalah"\nagents = [["my.py:last", "random"]]\n'
        '[[case]]\nvariant = "kalah"\nagents = ["greedy", "my.py:draws"]\n'
    )
    plan = read_plan(path)
    alone = tmp_path / "alone.toml"
    alone.write_text(plan.text)
    assert read_plan(alone).cells == plan.cells
    assert read_plan(alone).text == plan.text
    assert plan.document["players"] == {"my.py": DRAWS + LAST}


@pytest.mark.parametrize(
    ("text", "agent", "says"),
    [
        (None, "nothing.py:f", "run: grid: agents: nothing.py: cannot be read: No such file"),
        ("", "bad.py:f", "bad.py: there is no function 'f'; it has none"),
        (LAST, "bad.py:lost", "there is no function 'lost' (did you mean 'last'?); it has last"),
        ("f = 3", "bad.py:f", "bad.py: 'f' is no function: give one as my_file.py:name"),
        ("x = 1\ndef f(:\n", "bad.py:f", "bad.py:2: not valid Python: invalid syntax"),
        ("\n\nimport nothing_such\n", "bad.py:f",
         "bad.py:3: ModuleNotFoundError: No module named 'nothing_such': the file must run"),
        ("exit(3)", "bad.py:f", "bad.py:1: SystemExit: 3: the file must run without errors"),
        ("\0", "bad.py:f", "bad.py: not valid Python: source code string cannot contain null"),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_is_a_line(
    capsys: pytest.CaptureFixture[str], text: str | None, agent: str, says: str
) -> None:
    if text is not None:
        Path("bad.py").write_text(text)
    line = ("run", "kalah", "--agent", agent, "--out", "d")
    assert says in refused(mancalab(capsys, *line))
    assert not Path("d").exists()


ODD = """
class Odd(Exception):
    def __int__(self): return 1 // 0
    __index__ = __float__ = __str__ = __repr__ = __int__
"""
AT_PLY_2 = 'ply 2 (own pits | other\'s: 4 4 4 4 4 4 | 0 5 5 5 5 4, stores 0 and 0, after "0")'


@pytest.mark.parametrize(
    ("then", "says"),
    [
        ("return 7", f"bad.py: f answers 7 at {AT_PLY_2}: it has to return one of the legal pits"
         " 0, 1, 2, 3, 4, 5"),
        ("return -1", "f answers -1 at ply 2"),
        ("return None", "f answers None at ply 2"),
        ("return 1.0", "f answers 1.0 at ply 2"),
        ("return True", "f answers True at ply 2"),
        ("return '1'", "f answers '1' at ply 2"),
        ("return [1]", "f answers [1] at ply 2"),
        ("return 1, 'much'", "f answers (1, 'much'): a pit's worth has to be a number"),
        ("return 1, 1e300", "f answers (1, 1e+300): a pit's worth has to be a number"),
        ("import numpy; return numpy.array([1, 2])", "f answers array([1, 2]) at ply 2"),
        ("return Odd()", "f answers a Odd that cannot be shown at ply 2"),
        ("return 1, Odd()", "f answers a tuple that cannot be shown: a pit's worth has to be"),
        ("raise Odd", "bad.py:3: Odd: a Odd that cannot be shown, in f at ply 2"),
        ("raise GeneratorExit", "bad.py:3: GeneratorExit, in f at ply 2"),
        ("return 1 // 0", "bad.py:3: ZeroDivisionError: integer division or modulo by zero, in f at"
         f" {AT_PLY_2}"),
        ("raise ValueError('a\\nb')", "bad.py:3: ValueError: a b, in f at ply 2"),
        ("return position.after(9)", "bad.py:3: ValueError: pit 9 is not legal: 0, 1, 2, 3, 4, 5,"),
        ("exit()", "bad.py:3: SystemExit"),
        ("return f(position)", "bad.py:3: RecursionError: maximum recursion depth exceeded"),
    ],
)  # fmt: skip
def test_a_player_that_is_wrong_is_a_line_and_leaves_whole_shards(
    capsys: pytest.CaptureFixture[str], then: str, says: str
) -> None:
    text = f"def f(position):\n    if position.ply == 1: return 0\n    {then}\n{ODD}"
    Path("bad.py").write_text(text)
    line = ("run", "kalah", "--agent", "bad.py:f", "--games", "9", "--out", "d")
    assert says in refused(mancalab(capsys, *line))
    assert open_dataset(Path("d")).rows == []
    assert list(Path("d/games").iterdir()) == []


def test_a_wrong_number_of_arguments_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.py").write_text("def f(): return 0\n")
    said = refused(mancalab(capsys, "run", "kalah", "--agent", "bad.py:f", "--out", "d"))
    assert (
        "bad.py: TypeError: f() takes 0 positional arguments but 1 was given, in f at ply" in said
    )


def test_whole_numbers_of_any_library_and_worths(capsys: pytest.CaptureFixture[str]) -> None:
    Path("np.py").write_text(
        "import numpy as np\n"
        "def f(position):\n"
        "    return np.int8(position.legal[0]), np.float32(position.ply)\n"
    )
    played(capsys, "kalah", "--agent", "np.py:f", "--games", "2", "--log-search", "--out", "d")
    con = connect("d")
    assert con.execute("SELECT bool_and(search_worth = ply) FROM moves").fetchall() == [(True,)]


def test_players_that_look_at_the_clock_are_refused_in_plans(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = ("run", "kalah", "--agent", "minimax:6,time=0.5", "--out", "d")
    assert "'minimax:6,time=0.5' looks at the clock" in refused(mancalab(capsys, *line))
    assert not Path("d").exists()


@pytest.mark.parametrize("table", [3, {"my.py": 3}, ["x"]])
def test_what_is_no_table_of_players(table: Any) -> None:
    with pytest.raises(UserError, match="plan: players must be a table of files and their text"):
        plan_of({"grid": {"variant": ["kalah"]}, "players": table})


def test_the_example_beats_greedy(capsys: pytest.CaptureFixture[str]) -> None:
    played(capsys, "kalah", "--agent", f"{EXAMPLE}:careful", "--agent", "greedy", "--pairing",
           "mirror", "--games", "20", "--opening-plies", "2", "--out", "d")  # fmt: skip
    [[share]] = (
        connect("d")
        .execute(
            "SELECT avg(CASE WHEN agent0 = 'greedy' THEN 1 - points0 ELSE points0 END)"
            " FROM games JOIN cells USING (cell)"
        )
        .fetchall()
    )
    assert share > 0.55
