"""Variants by name or file: the TOML around the rules, and where they come from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from sim import toml
from sim.errors import UserError, brief, did_you_mean
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
        variant = parse_variant(text, name_or_file, name_or_file)
    elif means_file(Path(name_or_file)):
        path = Path(name_or_file)
        variant = variant_of(toml.read(path), _as_text(path.stem), name_or_file)
    else:
        raise UserError(
            f"there is no variant '{brief(name_or_file)}'{did_you_mean(name_or_file, names)};"
            " give a TOML file or one of " + ", ".join(names)
        )
    if not overrides:
        return variant
    rules = variant.rules.with_keys(overrides, name_or_file)
    return replace(variant, rules=rules)


def parse_variant(text: str, name: str, where: str) -> Variant:
    """Parse a variant file's text. Raises `UserError` naming `where`."""
    return variant_of(toml.loads(text, where), name, where)


def variant_of(tables: Mapping[str, Any], name: str, where: str) -> Variant:
    """Build a variant from a file's tables. Raises `UserError` naming `where`."""
    about = tables.get("about", {})
    if not isinstance(about, Mapping):
        raise UserError(f"{where}: about must be a table of {', '.join(ABOUT)}")
    for entry, value in about.items():
        if entry not in ABOUT or not isinstance(value, str):
            raise UserError(
                f"{where}: about.{brief(entry)} is not allowed: give {', '.join(ABOUT)} as text"
            )
    keys = flatten({k: v for k, v in tables.items() if k != "about"}, where)
    return Variant(name, Rules.of(keys, where), **about)


def means_file(path: Path) -> bool:
    """Whether the name of a variant that is no preset's means a file."""
    try:
        return path.suffix == ".toml" or (path.exists() and not path.is_dir())
    except OSError:  # a name that is too long for one
        return False


def flatten(tables: Mapping[str, Any], where: str) -> dict[str, Value]:
    """Turn nested TOML tables into dotted keys.

    Raises `UserError` for a key that is given twice, dotted in quotes and in a table.

    >>> flatten({"board": {"pits": 6}, "end.when": "no-move"}, "mine.toml")
    {'board.pits': 6, 'end.when': 'no-move'}
    """
    flat: dict[str, Value] = {}
    for name, value in _dotted(tables):
        if name in flat:
            raise UserError(f"{where}: {name} is given twice: leave one out")
        flat[name] = value
    return flat


def _dotted(tables: Mapping[str, Any]) -> Iterator[tuple[str, Value]]:
    waiting = [*tables.items()][::-1]  # no recursion: a name may have thousands of parts
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += [(f"{name}.{field}", below) for field, below in value.items()][::-1]
        else:
            yield name, value


def _as_text(name: str) -> str:
    """Return a file's name as text that can be written, also where the locale is not UTF-8."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
