"""`mancalab replay`: referee a move list, position by position."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from pipelines.options import SetOption, one_each, parse_set
from sim.errors import UserError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("replay")(replay)


def replay(
    variant: Annotated[
        str | None, typer.Argument(metavar="VARIANT", help="A preset's name or a TOML file.")
    ] = None,
    moves: Annotated[
        str | None, typer.Option(metavar="PITS", help='The pits played, such as "2 3 0".')
    ] = None,
    set_: SetOption = [],  # noqa: B006  Typer copies it
    format_: Annotated[
        Literal["table", "json"] | None,
        typer.Option("--format", help="`table` (to read, the default) or `json`."),
    ] = None,
    batch: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A file of one JSON input a line; `-` reads stdin."),
    ] = None,
) -> None:
    """Referee a move list, position by position.

    An illegal move is an error that names the ply, the pit and the legal pits. With `--batch`,
    each line of the file is an input such as {"variant": "owari", "moves": [2, 3]} (`set` and
    `start` optional), and each line of the output its JSON; a line that is wrong gives
    {"error": "..."}, the others go on, and the exit code is 2.
    """
    if batch is not None:
        if variant is not None or moves is not None or set_ or format_ == "table":
            raise UserError(
                "--batch goes without VARIANT, --moves, --set and --format table:"
                " each line says what it replays, and its answer is JSON"
            )
        _replay_batch(batch)
        return
    if variant is None:
        raise UserError("give a VARIANT and --moves, or --batch FILE")

    from pipelines.transcript import transcript
    from sim.presets import load_variant
    from sim.replay import replay as referee

    chosen = load_variant(variant, one_each(parse_set(set_)))
    replayed = referee(chosen, _pits(moves or ""))
    if format_ == "json":
        print(json.dumps(replayed))
    else:
        print("\n".join(transcript(chosen, replayed)))


def _replay_batch(file: str) -> None:
    from sim.replay import replay_lines

    failed = False
    for replayed in replay_lines(_lines(file)):
        print(json.dumps(replayed), flush=True)
        failed |= "error" in replayed
    if failed:
        raise typer.Exit(2)


def _lines(file: str) -> Iterator[bytes]:
    if file == "-":
        yield from sys.stdin.buffer
        return
    try:
        with Path(file).open("rb") as lines:
            yield from lines
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"--batch {file}: cannot be read: {reason}") from None


def _pits(text: str) -> list[int]:
    pits: list[Any] = text.replace(",", " ").split()
    for pit in pits:
        if not (pit.isascii() and pit.isdigit() and len(pit) <= 9):
            raise UserError(f"--moves: '{pit}' is no pit: give numbers such as \"2 3 0\"")
    return [int(pit) for pit in pits]
