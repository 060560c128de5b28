"""`mancalab variants`: the presets, one variant's rules, the check of a file, the rule keys."""

import json
import textwrap
from typing import Annotated

import typer

from pipelines.options import SetOption, VariantArgument, one_each, parse_set

WIDTH = 80


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    group = typer.Typer(rich_markup_mode="markdown")
    group.callback(invoke_without_command=True)(variants)
    group.command("show")(show)
    group.command("check")(check)
    group.command("keys")(keys)
    app.add_typer(group, name="variants")


def variants(context: typer.Context) -> None:
    """List the presets; show a variant's rules, check a file, list the rule keys."""
    if context.invoked_subcommand is not None:
        return
    from sim.presets import load_variant, preset_names

    row = "{:<19}  {:>5}  {:<16}  {:<8}  {:<11}  {}".format
    print(row("preset", "board", "sowing", "capture", "round ends", "winner"))
    for name in preset_names():
        rules = load_variant(name).rules
        sowing, end = rules.sowing, rules.end
        stores = sowing.own_store + sowing.opponent_store
        relay = "relay, " if sowing.relay == "occupied" else ""
        emptying = end.goal == "empty-first"
        print(
            row(
                name,
                f"{rules.board.pits}x{rules.board.seeds}",
                relay + ("no store", "own store", "both stores")[stores],
                rules.capture.kind,
                "side-empty" if emptying else end.when,
                end.goal,
            )
        )
    print("\n`mancalab variants show NAME` says one's rules in plain sentences.")


def show(variant: VariantArgument, set_: SetOption = []) -> None:  # noqa: B006
    """Say a variant's rules in plain sentences, with its source and its TOML."""
    from sim.describe import describe, toml
    from sim.presets import load_variant

    chosen = load_variant(variant, one_each(parse_set(set_)))
    print(f"{chosen.name}: {chosen.title}" if chosen.title else chosen.name)
    about = {"Source": chosen.source, "What is particular": chosen.particular}
    if set_:
        about["But here"] = ", ".join(set_)
    for heading, text in about.items():
        if text:
            _section(heading, [text])
    for heading, sentences in describe(chosen.rules).items():
        _section(heading, sentences, bullet="- ")
    print(f"\nAs a file\n\n{toml(chosen.rules)}")
    print(f"Strong id {chosen.rules.id}")


def check(file: Annotated[str, typer.Argument(metavar="FILE", help="A TOML file.")]) -> None:
    """Check a variant file, and say which preset plays the same game, if one does."""
    from sim.presets import load_variant, preset_names

    rules = load_variant(file).rules
    print(
        f"{file} is right: {rules.board.pits} pits a player, {rules.total} seeds,"
        f" strong id {rules.id}"
    )
    for name in preset_names():
        if name != file and load_variant(name).rules.id == rules.id:
            print(f"the same game as {name}")


def keys() -> None:
    """List the rule keys: their defaults, what is allowed and what they mean."""
    from pydantic_core import PydanticUndefined

    from sim.rules import KEYS, allowed

    for name, field in KEYS.items():
        if field.default is PydanticUndefined:
            print(f"{name}, which must be given")
        elif field.default is None:
            print(name)
        else:
            print(f"{name} = {json.dumps(field.default)}")
        for text in (str(field.description), f"Allowed: {allowed(name)}."):
            print(textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="    "))


def _section(heading: str, paragraphs: list[str], bullet: str = "") -> None:
    print(f"\n{heading}")
    for text in paragraphs:
        indent = " " * len(bullet)
        print(textwrap.fill(text, WIDTH, initial_indent=bullet, subsequent_indent=indent))
