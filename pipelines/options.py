"""Options that several commands share: lists and ranges of numbers, `--set KEY=VALUE`."""

import re
import tomllib
from collections.abc import Container, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, TypeVar, cast

import typer

from pipelines.nesting import depth, nesting
from pipelines.places import place
from sim.errors import UserError, brief, did_you_mean
from sim.rules import KEYS, Value, allowed

T = TypeVar("T")
MAX_LISTED = 10_000
"""More numbers than any rule key or grid has use for: a range beyond it is a slip."""

BOARD_OPTIONS = {"board.pits": "--pits", "board.seeds": "--seeds"}
"""Rule keys that have an option of their own."""

VariantArgument = Annotated[
    str, typer.Argument(metavar="VARIANT", help="A preset's name or a TOML file.")
]
SetOption = Annotated[
    list[str],
    typer.Option("--set", metavar="KEY=VALUE", help="Override a rule key; repeat for more."),
]


def file_name(text: str) -> Path:
    """Read the name of a file or folder; an empty one, as of an unset variable, is none."""
    if not text:
        raise typer.BadParameter("an empty name: name a file or folder ('.' is the one you are in)")
    return place(text)


def parse_set(items: Iterable[str]) -> dict[str, list[Value]]:
    """Parse the items of `--set KEY=VALUE`; a key that is repeated has several values.

    VALUE is read as TOML where it parses, else as a string. The key has to be a rule key, VALUE
    one value of it: a list only where the key takes lists. Else `Rules.of` checks it. Raises
    `UserError`.

    >>> parse_set(["end.win_seeds=30", "capture.kind=count", "end.win_seeds=none"])
    {'end.win_seeds': [30, 'none'], 'capture.kind': ['count']}
    """
    values: dict[str, list[Value]] = {}
    for item in items:
        name, equals, text = item.partition("=")
        name = name.strip()
        if not equals:
            raise UserError(f"--set {brief(item)}: give KEY=VALUE, such as --set board.pits=5")
        if name not in KEYS:
            raise UserError(
                f"--set {brief(item)}: there is no rule key '{brief(name)}'"
                f"{did_you_mean(name, KEYS)}; `mancalab variants keys` lists them"
            )
        value = _value(text.strip())
        if depth(value) != nesting(name):
            raise UserError(
                f"--set {brief(item)}: {name} takes {allowed(name)}; repeat --set to sweep over it"
            )
        values.setdefault(name, []).append(value)
    return values


def one_each(values: Mapping[str, Sequence[Value]]) -> dict[str, Value]:
    """Return the one value of each key, for commands that do not sweep.

    Raises `UserError` for a key of several.

    >>> one_each({"board.pits": [5]})
    {'board.pits': 5}
    """
    for name, several in values.items():
        if len(several) != 1:
            raise UserError(f"--set {name} is given {len(several)} times: give it once here")
    return {name: several[0] for name, several in values.items()}


def board_keys(pits: T | None, seeds: T | None, keys: Container[str]) -> dict[str, T]:
    """Return what `--pits` and `--seeds` give of the board. Raises `UserError` if `--set` does too.

    >>> board_keys(5, None, ["end.when"])
    {'board.pits': 5}
    """
    given = zip(BOARD_OPTIONS, (pits, seeds), strict=True)
    board = {key: value for key, value in given if value is not None}
    for key in board:
        if key in keys:
            raise UserError(f"--set {key} and {BOARD_OPTIONS[key]} are both given: leave one out")
    return board


def parse_ints(text: str, option: str) -> list[int]:
    """Parse `5,6,7` or the inclusive range `3..7`, or both mixed, in the order given.

    A number given twice comes twice, as in a plan's list. Raises `UserError` naming `option` for
    what is no number and for an empty range (`7..3`).

    >>> parse_ints("3..5,8", "--pits")
    [3, 4, 5, 8]
    """
    numbers: list[int] = []
    place = f"{option} {brief(text)}"
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})\s*(?:\.\.\s*(\d{1,9})\s*)?", part, re.ASCII)
        if match is None:
            raise UserError(f"{place}: give numbers such as 5,6,7 or a range such as 3..7")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise UserError(
                f"{place}: the range {first}..{last} is empty: give the smaller end first"
            )
        if last - first >= MAX_LISTED:
            raise UserError(f"{place}: the range {first}..{last} is too long")
        numbers += range(first, last + 1)
    return numbers


def parse_bytes(text: str, option: str) -> int:
    """Parse an amount of memory: bytes, or with a unit from kB to TB or from KiB to TiB.

    Raises `UserError` naming `option`.

    >>> parse_bytes("512MiB", "--memory"), parse_bytes("2 GB", "--memory")
    (536870912, 2000000000)
    """
    number, unit = r"\d{1,15}(?:\.\d{1,15})?(?:e\d{1,2})?", r"(?:([kmgt])(i?))?b?"
    match = re.fullmatch(rf"\s*({number})\s*{unit}\s*", text, re.ASCII | re.IGNORECASE)
    # 2G may mean either: a prefix needs its B.
    if match is None or (match[2] and text.strip()[-1] not in "bB"):
        raise UserError(f"{option} {brief(text)}: give bytes such as 512MiB, 2GB or 1e9")
    size = (1024 if match[3] else 1000) ** ("kmgt".index(match[2].lower()) + 1 if match[2] else 0)
    return int(Decimal(match[1]) * size)


def _value(text: str) -> Value:
    """Read a value as TOML; what is no TOML, or more than one value, is a string."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    if set(parsed) != {"value"}:
        return text
    return cast("Value", parsed["value"])
