"""A plan's variants: presets, files, and those whose rules the plan itself holds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim.errors import UserError, shown
from sim.presets import Variant, load_variant, means_file, preset_names, variant_of


class Roster:
    """Finds variants by the names a plan gives them.

    A name is a preset's, that of a table `[variants.NAME]` in the plan, or a TOML file's,
    relative to `base`. Files get a name of their own, so that their rules can be written into
    the plan that lies beside the games and two files of one name stay apart.
    """

    def __init__(self, tables: Any, where: str, base: Path) -> None:
        self._where, self._base = where, base
        self._presets = preset_names()
        self._own: dict[str, Variant] = {}
        self._files: dict[Path, Variant] = {}
        self._loaded: dict[str, Variant] = {}
        if not isinstance(tables, Mapping):
            raise UserError(f"{where}: variants must be tables [variants.NAME] of rule keys")
        for name, table in tables.items():
            self._own[name] = self._inline(name, table)

    def find(self, name: Any) -> Variant:
        """Return a variant. Raises `UserError` naming the plan, the variant and the mend."""
        if not isinstance(name, str):
            raise UserError(f"{self._where}: variant = {shown(name)}: give names or files as text")
        if name in self._own:
            return self._own[name]
        path = self._base / name
        if name in self._presets or not means_file(path):
            return self._load(name)
        if path not in self._files:
            self._files[path] = self._adopt(self._load(str(path)))
        return self._files[path]

    def tables(self) -> dict[str, Any]:
        """Return the variants that are no presets, as the plan's `[variants.NAME]` tables."""
        return {name: _table(variant) for name, variant in self._own.items()}

    def _inline(self, name: str, table: Any) -> Variant:
        where = f"{self._where}: variants.{name}"
        if name in self._presets:
            raise UserError(f"{where}: a preset has this name: choose another")
        if not isinstance(table, Mapping):
            raise UserError(f"{where} must be a table of rule keys")
        return variant_of(table, name, where)

    def _adopt(self, variant: Variant) -> Variant:
        """Name a file's variant, unlike any that has other rules."""
        number, name = 1, variant.name
        while (other := self._named(name)) is not None:
            if other.rules.id == variant.rules.id:
                return other
            number += 1
            name = f"{variant.name}-{number}"
        self._own[name] = Variant(
            name, variant.rules, variant.title, variant.source, variant.particular
        )
        return self._own[name]

    def _named(self, name: str) -> Variant | None:
        return self._load(name) if name in self._presets else self._own.get(name)

    def _load(self, name: str) -> Variant:
        if name in self._loaded:
            return self._loaded[name]
        try:
            return self._loaded.setdefault(name, load_variant(name))
        except UserError as error:
            raise UserError(f"{self._where}: {error}" if self._where else str(error)) from None


def _table(variant: Variant) -> dict[str, Any]:
    about = {
        "title": variant.title,
        "source": variant.source,
        "particular": variant.particular,
    }
    table: dict[str, Any] = {"about": {k: v for k, v in about.items() if v}}
    for name, value in variant.rules.flat().items():
        if value is not None:
            group, field = name.split(".")
            table.setdefault(group, {})[field] = value
    return table if table["about"] else {k: v for k, v in table.items() if k != "about"}
