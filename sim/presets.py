"""Variants by name or file: the TOML around the rules, and where they come from."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from sim.errors import UserError, did_you_mean
from sim.rules import Rules, Value

ABOUT = ("title", "source", "particular")


@dataclass(frozen=True)
class Variant:
    """Rules with a name, a title, the source they follow and what is particular about them."""

    name: str
    rules: Rules
    title: str = ""
    source: str = ""
    particular: str = ""


def preset_names() -> list[str]:
    """Return the names of the presets, sorted."""
    folder = resources.files("sim") / "variants"
    return sorted(
        f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")
    )


def load_variant(name_or_file: str, overrides: Mapping[str, Value] | None = None) -> Variant:
    """Load a preset, or a TOML file of rule keys, and override some of its keys.

    Raises `UserError` naming the file, the key and the mend.

    >>> load_variant("kalah", {"board.pits": 5}).rules.total
    40
    """
    names = preset_names()
    if name_or_file in names:
        text = (resources.files("sim") / "variants" / f"{name_or_file}.toml").read_text("utf-8")
        name = where = name_or_file
    else:
        path = Path(name_or_file)
        name, where, text = path.stem, name_or_file, _read(path, names)
    variant = parse_variant(text, name, where)
    if not overrides:
        return variant
    rules = variant.rules.with_keys(overrides, where)
    return Variant(name, rules, variant.title, variant.source, variant.particular)


def parse_variant(text: str, name: str, where: str) -> Variant:
    """Parse a variant file's text. Raises `UserError` naming `where`."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # ValueError: a syntax error, or a number of thousands of digits.
        raise UserError(f"{where}: not valid TOML: {error}") from None
    about = data.pop("about", {})
    if not isinstance(about, dict):
        raise UserError(f"{where}: about must be a table of {', '.join(ABOUT)}")
    for entry, value in about.items():
        if entry not in ABOUT or not isinstance(value, str):
            raise UserError(
                f"{where}: about.{entry} is not allowed: give {', '.join(ABOUT)} as text"
            )
    return Variant(name, Rules.of(flatten(data, where), where), **about)


def flatten(tables: Mapping[str, Any], where: str = "rules") -> dict[str, Value]:
    """Turn nested TOML tables into dotted keys.

    Raises `UserError` for a key that is given twice, dotted in quotes and in a table.

    >>> flatten({"board": {"pits": 6}, "end.when": "no-move"})
    {'board.pits': 6, 'end.when': 'no-move'}
    """
    flat: dict[str, Value] = {}
    for name, value in _dotted(tables):
        if name in flat:
            raise UserError(f"{where}: {name} is given twice: leave one out")
        flat[name] = value
    return flat


def _dotted(tables: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Value]]:
    for name, value in tables.items():
        if isinstance(value, Mapping):
            yield from _dotted(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _read(path: Path, names: list[str]) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a UTF-8 text file") from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        if path.suffix == ".toml":
            reason = error.strerror if isinstance(error, OSError) else error
            raise UserError(f"{path}: cannot be read: {reason}") from None
    raise UserError(
        f"there is no variant '{path}'{did_you_mean(str(path), names)};"
        " give a TOML file or one of " + ", ".join(names)
    )
