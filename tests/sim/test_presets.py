"""The presets, and variant files of one's own."""

import os
import re
from pathlib import Path

import pytest

from sim.errors import UserError
from sim.presets import load_variant, preset_names

PRESETS = [
    "awari",
    "basic",
    "congkak",
    "dakon",
    "easy",
    "kalah",
    "kalah-empty-capture",
    "oware",
    "owari",
    "sungka",
    "sunka",
]


def test_the_presets_are_those_of_the_specification() -> None:
    assert preset_names() == PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_says_its_title_its_source_and_what_is_particular(name: str) -> None:
    variant = load_variant(name)
    assert variant.name == name
    assert variant.title
    assert len(variant.source) > 20
    assert len(variant.particular) > 20


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_can_be_played_as_a_match_or_says_why_not(name: str) -> None:
    refused = {"basic": "empty-first", "oware": "win_seeds", "owari": "win_seeds", "awari": "leave"}
    if name in refused:
        with pytest.raises(UserError, match=refused[name]):
            load_variant(name, {"match.kind": "sunog"})
    else:
        assert load_variant(name, {"match.kind": "sunog"}).rules.match.kind == "sunog"


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("sungka", {"board.pits": 7, "board.seeds": 7, "end.when": "board-empty"}),
        ("sunka", {"board.pits": 6, "board.seeds": 4, "end.when": "side-empty"}),
        (
            "owari",
            {
                "capture.grand_slam": "forbidden",
                "play.must_feed": "always",
                "end.win_seeds": "majority",
                "end.leftover": "opponent",
                "end.repetition": 2,
                "end.on_repetition": "owner",
                "end.max_plies": 2000,
            },
        ),
        ("oware", {"capture.grand_slam": "no-capture", "play.must_feed": "when-empty"}),
        (
            "awari",
            {
                "capture.grand_slam": "allowed",
                "play.must_feed": "unless-only",
                "end.on_repetition": "leave",
                "end.win_seeds": "none",
            },
        ),
        ("kalah", {"capture.needs_opposite": True, "sowing.relay": "none"}),
        ("kalah-empty-capture", {"capture.needs_opposite": False}),
        ("congkak", {"board.direction": "cw", "end.when": "no-move", "match.starter": "loser"}),
        ("dakon", {"end.when": "no-move", "match.starter": "winner"}),
        ("basic", {"sowing.opponent_store": True, "end.goal": "empty-first"}),
        ("easy", {"capture.kind": "none", "end.when": "side-empty"}),
    ],
)
def test_what_is_particular_about_a_preset(name: str, keys: dict[str, object]) -> None:
    assert load_variant(name).rules.flat().items() >= keys.items()


def variant_file(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_of_tables_or_of_dotted_keys(tmp_path: Path) -> None:
    tables = variant_file(tmp_path, "[board]\npits = 6\nseeds = 4\n[capture]\nkind = 'opposite'\n")
    assert load_variant(tables).name == "mine"
    assert load_variant(tables).rules == load_variant("kalah").rules
    dotted = variant_file(
        tmp_path, '"board.pits" = 6\nboard.seeds = 4\n"capture.kind" = "opposite"\n'
    )
    assert load_variant(dotted).rules == load_variant("kalah").rules


def test_a_file_can_be_overridden(tmp_path: Path) -> None:
    file = variant_file(tmp_path, "board = { pits = 6, seeds = 4 }")
    assert load_variant(file, {"board.pits": 3}).rules.total == 24


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[board\npits = 6", "not valid TOML"),
        ("[board]\npits = 6\n", "board.seeds is missing"),
        ("[board]\npits = 6\nseeds = 4\nholes = 3\n", "no rule key 'board.holes'"),
        ('"board.pits" = 5\n[board]\npits = 6\nseeds = 4\n', "board.pits is given twice"),
        ("about = 3\n", "about must be a table"),
        ("[about]\nauthor = 'me'\n", "about.author is not allowed"),
        ("[about]\ntitle = 3\n", "about.title is not allowed"),
        ("board = 6\n", "no rule key 'board'"),
        ("[board]\npits = 2026-01-01\nseeds = 4\n", "board.pits = "),
        (f"[board]\npits = {'9' * 5000}\nseeds = 4\n", "not valid TOML"),
        (f"x = {'[' * 5000}\n", "not valid TOML"),
    ],
)
def test_a_file_that_is_wrong_is_named_with_the_mend(
    tmp_path: Path, text: str, message: str
) -> None:
    file = variant_file(tmp_path, text)
    with pytest.raises(UserError, match=re.escape(message)) as caught:
        load_variant(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert "\n" not in str(caught.value)


def test_what_is_neither_a_preset_nor_a_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no variant 'kalahh' \(did you mean 'kalah'\?\)"):
        load_variant("kalahh")
    for name in ("", str(tmp_path), "a" * 5000):
        with pytest.raises(UserError, match=f"there is no variant '{name[:50]}") as caught:
            load_variant(name)
        assert len(str(caught.value)) < 300
    for name in ("absent.toml", "a\0b.toml", "a" * 5000 + ".toml"):
        with pytest.raises(UserError, match="cannot be read"):
            load_variant(name)
    (tmp_path / "latin.toml").write_bytes(b"# \xff\n")
    with pytest.raises(UserError, match="not a UTF-8 text file"):
        load_variant(str(tmp_path / "latin.toml"))


def test_a_file_of_odd_bytes(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf[board]\npits = 6\nseeds = 4\n[about]\ntitle = 'Ma\xc3\xb1ana'\n"
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/ma\xc3\xb1\xff.toml"))
    path.write_bytes(text)
    variant = load_variant(str(path))
    # The name can be written, whatever the file's bytes are.
    assert (variant.name, variant.title) == ("mañ\ufffd", "Mañana")
