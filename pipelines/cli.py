"""The `mancalab` command: its subcommands, and how their errors reach the user."""

import functools
import importlib
import io
import os
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer
from typer.exceptions import TyperException

from pipelines import commands
from pipelines.messages import tell
from pipelines.remote import StoreError
from sim.errors import UserError

STDOUT = "standard output"
LONGEST = 1_000  # characters of a message


def build() -> typer.Typer:
    """Put the command together: every module of `pipelines.commands` adds its own.

    Their modules import a command's room only when that command runs.
    """
    app = typer.Typer(
        name="mancalab",
        help="Plays mancala by the million to find out how its games behave.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )
    app.callback(invoke_without_command=True)(_help)
    for module in sorted(m.name for m in pkgutil.iter_modules(commands.__path__)):
        importlib.import_module(f"{commands.__name__}.{module}").register(app)
    return app


def _help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code.

    0 done, 1 failed, 2 what the user gave is wrong, 130 interrupted. A command returns nothing,
    raises `UserError`, or leaves with another code by `typer.Exit`.
    """
    _prepare_streams()
    try:
        code = build()(arguments, standalone_mode=False, prog_name="mancalab")
        sys.stdout.flush()
    except (UserError, TyperException) as error:
        _say(str(error) if isinstance(error, UserError) else error.format_message())
        code = 2
    except StoreError as error:
        _say(str(error))
        code = 1
    except OSError as error:
        ours = error.filename == STDOUT
        if ours:  # what is left of the output is dropped, or Python would try again at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # Where the reader of our output left (`| head`), there is nobody to tell.
        if not (ours and isinstance(error, BrokenPipeError)):
            _say(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        code = 1
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    if code == 130:  # Typer turns most interrupts into this code itself
        _say("interrupted")
    sys.exit(code if isinstance(code, int) else 0)


def _prepare_streams() -> None:
    """Have output reach whoever reads it, and fail for no character."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller (`>&-`): nobody reads it
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            # A terminal that lacks a character of a title shows a question mark for it.
            stream.reconfigure(errors="replace")
    for method in ("write", "flush"):
        setattr(sys.stdout, method, _naming(getattr(sys.stdout, method)))


def _naming(method: Callable[..., Any]) -> Callable[..., Any]:
    """Have the errors of writing to stdout say where they happened."""

    @functools.wraps(method)
    def named(*given: Any) -> Any:
        try:
            return method(*given)
        except OSError as error:
            error.filename = STDOUT
            raise

    return named


def _say(message: str) -> None:
    """Print a message for the user to stderr, on one line of bounded length whatever it quotes."""
    line = " ".join(message.split())
    if len(line) > LONGEST:
        line = f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"  # the mend stands at the end
    tell(line)
