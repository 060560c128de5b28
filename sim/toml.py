"""TOML, the format of variant files and plans: read with one line for what is wrong, written."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.errors import UserError, brief

_DELETE = "\x7f"  # the one control character that JSON leaves as it is


def read(path: Path) -> dict[str, Any]:
    """Read a file's tables; a byte order mark at its beginning does not count.

    Raises `UserError` naming the file and, where it is no TOML, the place.
    """
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a UTF-8 text file") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"{brief(str(path), 300)}: cannot be read: {reason}") from None
    return loads(text, str(path))


def loads(text: str, where: str) -> dict[str, Any]:
    """Parse tables. Raises `UserError` naming `where`."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise UserError(f"{where}: not valid TOML: lists or tables nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{where}: not valid TOML: {error}") from None
    except ValueError:  # what Python itself does not convert
        raise UserError(f"{where}: not valid TOML: a number of thousands of digits") from None


def dumps(tables: Mapping[str, Any]) -> str:
    """Return tables as text: whole numbers, truth values, text, lists of them, and tables.

    >>> print(dumps({"games": 5, "grid": {"board.pits": [5, 6]}, "case": [{"variant": "a"}]}))
    games = 5
    <BLANKLINE>
    [grid]
    "board.pits" = [5, 6]
    <BLANKLINE>
    [[case]]
    variant = "a"
    <BLANKLINE>
    """
    return "".join(_lines(tables, "")).removeprefix("\n")


def _lines(table: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """Yield a table's entries, then the tables in it, whose names begin with `prefix`."""
    below = {name: value for name, value in table.items() if _is_table(value)}
    for name, value in table.items():
        if name not in below:
            yield f"{_key(name)} = {_value(value)}\n"
    for name, value in below.items():
        path = f"{prefix}{_key(name)}"
        if isinstance(value, Mapping):
            if not value or not all(map(_is_table, value.values())):
                yield f"\n[{path}]\n"
            yield from _lines(value, f"{path}.")
        else:
            for item in value:
                yield f"\n[[{path}]]\n"
                yield from _lines(item, f"{path}.")


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)
    )


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()
    return name if bare else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace(_DELETE, "\\u007f")
    if isinstance(value, bool | int | float):  # plans have finite ones
        return json.dumps(value)
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_value, value))}]"
    raise TypeError(f"no value of a plan: {value!r}")
