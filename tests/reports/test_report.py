"""Reports: four formats, edge cells, labels, and what the user may give wrong."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from command import mancalab, refused
from made import cell, given, played
from rich.cells import cell_len

from reports.library import query_names
from reports.report import render
from reports.tables import Table

CONTRACT = {
    "cell": str, "variant": str, "pits": int, "seeds": int, "agent0": str, "agent1": str,
    "games": int, "distinct_games": int, "completion": float, "wins0": int, "draws": int,
    "wins1": int, "first_player_share": float, "share_low": float, "share_high": float,
    "margin_mean": float, "margin_low": float, "margin_high": float, "plies_mean": float,
    "plies_median": int, "plies_p5": int, "plies_p95": int, "plies_max": int, "turns_mean": float,
}  # fmt: skip

REPEATED = "share, margin: far fewer distinct games"
SAME_MARGIN = "margin: the same in every game"
CUT_SHORT = "margin: cut short"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep over presets, boards, one more key and agents, with the longest of names."""
    cells = [
        cell("kalah-empty-capture"),
        cell("owari", ("greedy", "random")),
        cell("owari"),
        cell("sungka", board_pits=5),
        cell("kalah", board_pits=4),
        cell("kalah", board_pits=4, sowing_extra_turn=False),
        cell("kalah", board_pits=4, sowing_extra_turn=False, end_leftover="opponent"),
    ]
    return played(tmp_path_factory.mktemp("sweep"), cells, range(60))


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cells of matches, with the longest of names."""
    keys: dict[str, Any] = {"match_kind": "sunog", "board_pits": 3, "match_max_rounds": 6}
    cells = [cell("kalah-empty-capture", ("greedy", "random"), **keys), cell("sungka", **keys)]
    return played(tmp_path_factory.mktemp("matches"), cells, range(60))


@pytest.fixture(scope="module")
def edges(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """No game, one game, only draws, a thousand identical games."""
    draw = {"score0": 24, "score1": 24, "winner": None}
    return given(
        tmp_path_factory.mktemp("edges"),
        (cell("kalah"), []),
        (cell("owari"), [{}]),
        (cell("easy"), [{**draw, "digest": number} for number in range(100)]),
        (cell("sungka"), [{}] * 1000),
    )


def cells_of(folder: Path, **options: Any) -> dict[str, dict[str, Any]]:
    whole = json.loads(render([folder], format="json", **options), parse_constant=pytest.fail)
    assert list(whole) == ["cells"]
    return {cell["variant"]: cell for cell in whole["cells"]}


def test_json_has_what_the_contract_says(folder: Path) -> None:
    cells = json.loads(render([folder], format="json"))["cells"]
    assert len(cells) == 7
    for found in cells:
        assert list(found)[: len(CONTRACT)] == list(CONTRACT)
        assert {name: type(found[name]) for name in CONTRACT} == CONTRACT
        assert isinstance(found["notes"], list)
        assert found["games"] == found["wins0"] + found["draws"] + found["wins1"] == 60


def test_the_csv_has_the_same_figures(folder: Path) -> None:
    cells = json.loads(render([folder], format="json"))["cells"]
    rows = list(csv.DictReader(io.StringIO(render([folder], format="csv"))))
    assert len(rows) == len(cells)
    for row, found in zip(rows, cells, strict=True):
        assert list(row) == list(found)
        assert json.loads(row.pop("notes")) == found.pop("notes")
        found["distinct_exact"] = json.dumps(found["distinct_exact"])
        assert row == {name: str(value) for name, value in found.items()}


def test_tables_hold_the_figures_and_the_notes(folder: Path) -> None:
    text = render([folder], where="variant = 'owari' AND agent0 = 'random'")
    found = cells_of(folder, where="variant = 'owari' AND agent0 = 'random'")["owari"]
    assert f"{found['first_player_share']:.4f} " in text
    assert f"{found['share_low']:.4f} – {found['share_high']:.4f}" in text
    assert f"{found['margin_mean']:.2f}†" in text
    assert f"{found['plies_mean']:.1f}" in text
    assert "\n† margin: cut short" in text
    assert "players: random – random" in text


@pytest.mark.parametrize("query", query_names())
def test_tables_fit_80_columns(folder: Path, matches: Path, query: str) -> None:
    lines = render([folder, matches], query).splitlines()
    assert max(map(cell_len, lines)) <= 80
    assert not any("No room" in line or "…" in line for line in lines)


OF_CELLS = {*query_names()} - {
    "matches", "rounds", "duels", "skill", "comparisons", "effects", "ratings", "strength"
}  # fmt: skip


@pytest.mark.parametrize("query", sorted(OF_CELLS))
def test_markdown_tables_are_whole(folder: Path, query: str) -> None:
    tables = 0
    for block in render([folder], query, format="md").split("\n\n"):
        if block.startswith("|"):
            tables += 1
            assert len({line.count("|") for line in block.splitlines()}) == 1
            assert len(block.splitlines()) >= 2 + 7
            assert "kalah 4×4, random – random, sowing_extra_turn false, end_leftover" in block
    assert tables == (3 if query == "balance" else 1)


def test_other_queries_as_json_and_csv(folder: Path) -> None:
    whole = json.loads(render([folder], "openings", "pits = 4", "json"))
    assert whole["query"] == "openings"
    assert {row["variant"] for row in whole["rows"]} == {"kalah"}
    rows = list(csv.DictReader(io.StringIO(render([folder], "openings", "pits = 4", "csv"))))
    assert [row["pit"] for row in rows] == [str(row["pit"]) for row in whole["rows"]]


def test_labels_tell_the_cells_of_a_sweep_apart(folder: Path) -> None:
    cells = json.loads(render([folder], format="json"))["cells"]
    assert len({found["label"] for found in cells}) == 7
    assert "owari 6×4, greedy – random" in {found["label"] for found in cells}
    [alone] = json.loads(render([folder], where="pits = 5", format="json"))["cells"]
    assert alone["label"] == "sungka 5×7"


def test_a_label_says_what_is_not_as_in_the_preset(tmp_path: Path) -> None:
    changed = cell("kalah", capture_needs_opposite=False, sowing_max_laps=9)
    # A bound on laps means nothing without relays.
    [found] = json.loads(render([given(tmp_path, (changed, [{}]))], format="json"))["cells"]
    assert found["label"] == "kalah 6×4, capture_needs_opposite false"


def test_a_board_of_very_many_seeds(tmp_path: Path) -> None:
    wide = cell("kalah", board_pits=12, board_seeds=10)
    [found] = json.loads(render([given(tmp_path, (wide, [{}, {}]))], format="json"))["cells"]
    assert found["label"] == "kalah 12×10"


def test_a_label_names_no_keys_that_only_follow_from_another(tmp_path: Path) -> None:
    match = cell("kalah", match_kind="sunog", match_reopen=False)
    [found] = json.loads(render([given(tmp_path, (match, [{}]))], format="json"))["cells"]
    assert found["label"] == "kalah 6×4, match_kind sunog, match_reopen false"


def test_a_cell_without_games(edges: Path) -> None:
    found = cells_of(edges)["kalah"]
    assert (found["games"], found["distinct_games"], found["wins0"]) == (0, 0, 0)
    nothing = [name for name, kind in CONTRACT.items() if kind is float or name.startswith("plies")]
    assert {found[name] for name in nothing} == {None}
    assert found["notes"] == []


def test_a_cell_of_one_game(edges: Path) -> None:
    found = cells_of(edges)["owari"]
    assert (found["games"], found["first_player_share"], found["margin_mean"]) == (1, 1, 2)
    assert 0.2 < found["share_low"] < 0.21
    assert found["share_high"] == 1
    assert found["margin_low"] is found["margin_high"] is None
    assert [note.partition(",")[0] for note in found["notes"]] == [CUT_SHORT]


def test_a_cell_of_draws(edges: Path) -> None:
    found = cells_of(edges)["easy"]
    assert (found["draws"], found["first_player_share"], found["margin_mean"]) == (100, 0.5, 0)
    assert (found["share_low"], found["share_high"]) == pytest.approx((0.4815, 0.5185), abs=1e-4)
    assert found["margin_low"] is None
    assert [note.partition(",")[0] for note in found["notes"]] == [SAME_MARGIN]


def test_a_cell_of_identical_games(edges: Path) -> None:
    found = cells_of(edges)["sungka"]
    assert (found["games"], found["distinct_games"]) == (1000, 1)
    starts = [note[: len(REPEATED)] for note in found["notes"]]
    assert starts == [REPEATED, found["notes"][1][: len(REPEATED)]]
    assert found["notes"][1].startswith(SAME_MARGIN)
    assert "1.0000§" in render([edges])


@pytest.mark.parametrize("query", query_names())
@pytest.mark.parametrize("form", ["table", "md", "csv", "json"])
def test_every_query_bears_edge_cells(edges: Path, query: str, form: str) -> None:
    text = render([edges], query, format=form)
    assert text.endswith("\n")
    assert "nan" not in text.lower()
    assert max(map(cell_len, text.splitlines())) <= 80 or form != "table"


def test_no_game_at_all(tmp_path: Path) -> None:
    empty = given(tmp_path, (cell("kalah"), []))
    for query in query_names():
        for form in ("table", "md", "csv", "json"):
            assert render([empty], query, format=form)


def test_datasets_are_merged(folder: Path, edges: Path, tmp_path: Path) -> None:
    more = played(tmp_path, [cell("sungka", board_pits=5)], range(50, 80))
    cells = json.loads(render([folder, more, edges], where="pits = 5", format="json"))["cells"]
    assert [found["games"] for found in cells] == [80]


def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = mancalab(capsys, "report", str(folder))
    assert (code, out, err) == (0, render([folder]), "")
    code, out, _ = mancalab(
        capsys, "report", str(folder), "--query", "ends", "--where", "pits = 5", "--format", "csv"
    )
    assert (code, out) == (0, render([folder], "ends", "pits = 5", "csv"))


def test_out_writes_a_file(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.md"
    file.write_text("old")
    said = mancalab(capsys, "report", str(folder), "--format", "md", "--out", str(file))
    assert said == (0, "", "")
    assert file.read_text("utf-8") == render([folder], format="md")
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--query", "lenght"], "there is no query 'lenght' (did you mean 'lengths'?)"),
        (["--where", "pits ="], '--where "pits =": '),
        (["--where", "pit = 5"], '"pits"'),
        (["--format", "jsn"], "there is no format 'jsn' (did you mean 'json'?)"),
        (["--out", "nowhere/report.md"], "there is no folder nowhere"),
        (["--out", "."], "a folder: give a file's name"),
    ],
)
def test_what_the_user_gives_wrong(
    folder: Path, options: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in refused(mancalab(capsys, "report", str(folder), *options))


def test_no_dataset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert str(tmp_path) in refused(mancalab(capsys, "report", str(tmp_path)))
    assert "DIR" in refused(mancalab(capsys, "report"))


def test_openings_say_when_moves_are_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = played(tmp_path, [cell("kalah")], range(5), log="games")
    code, out, err = mancalab(capsys, "report", str(bare), "--query", "openings", "--format", "csv")
    assert (code, len(out.splitlines()), err.count("\n")) == (0, 1, 1)
    assert "--log games" in err
    assert mancalab(capsys, "report", str(bare))[2] == ""


def test_report_lists_and_shows_the_queries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert mancalab(capsys, "report", "list") == mancalab(capsys, "queries")
    assert mancalab(capsys, "report", "show", "ends") == mancalab(capsys, "queries", "ends")
    said = refused(mancalab(capsys, "report", "show", "endes"))
    assert "there is no query 'endes' (did you mean 'ends'?)" in said
    Path("list").mkdir()  # a dataset may have this name
    assert "no dataset: it has no plan.toml" in refused(mancalab(capsys, "report", "list"))


@pytest.mark.parametrize("query", [None, *sorted(OF_CELLS)])
def test_latex_tables_have_the_figures_of_markdown(folder: Path, query: str | None) -> None:
    latex, markdown = (render([folder], query, format=form) for form in ("latex", "md"))
    assert latex.startswith("% mancalab ")
    figures = [
        [cell.strip() for cell in line.strip("|").split(" | ")[1:]]
        for line in markdown.splitlines()
        if line.startswith("| ") and "---" not in line
    ]
    found = []
    for table in re.findall(r"\\begin{tabular}{([lr]+)}(.*?)\\end{tabular}", latex, re.S):
        columns, body = table
        rules = re.fullmatch(r"\n\\toprule\n(.*)\n\\midrule\n(.*)\n\\bottomrule\n(.*)", body, re.S)
        assert rules
        for line in [rules[1], *rules[2].splitlines()]:
            assert line.endswith(r" \\")
            cells = line.removesuffix(r" \\").split(" & ")
            assert len(cells) == len(columns)
            found.append(cells[1:])
    plain = [
        [re.sub(r"\\([%_&#])", r"\1", cell).replace("--", "–") for cell in row] for row in found
    ]
    assert [[clean(c) for c in row] for row in plain] == [[clean(c) for c in r] for r in figures]


def clean(text: str) -> str:
    """Return a cell without marks and signs that LaTeX writes otherwise."""
    return re.sub(r"\\[a-zA-Z]+{}|[†‡§¶]|\$.*?\$|[~×½]", "", text).strip()


def test_latex_escapes_what_it_would_read_otherwise() -> None:
    table = Table(
        ["a_b", "50 %"], [["{x} & \\y", "#1 $2 ~3 ^4"]], [False, True], "A_title", ["<5 %"]
    )
    assert table.latex().splitlines() == [
        "% A_title",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"a\_b & 50 \% \\",
        r"\midrule",
        r"\{x\} \& \textbackslash{}y & \#1 \$2 \textasciitilde{}3 \textasciicircum{}4 \\",
        r"\bottomrule",
        r"\multicolumn{2}{p{\linewidth}}{\footnotesize <5 \%} \\",
        r"\end{tabular}",
    ]


def test_queries_lists_and_prints(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = mancalab(capsys, "queries")
    assert code == 0
    for name in query_names():
        assert f"\n{name} " in f"\n{out}"
    assert max(map(len, out.splitlines())) <= 80
    code, out, _ = mancalab(capsys, "queries", "ends")
    assert code == 0
    assert out.startswith("-- How do games end")
    assert "did you mean 'ends'" in refused(mancalab(capsys, "queries", "end"))
