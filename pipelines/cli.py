"""The `mancalab` command: its subcommands, and how their errors reach the user."""

import importlib
import os
import pkgutil
import sys

import click
import typer

from pipelines import commands
from sim.errors import UserError

app = typer.Typer(
    name="mancalab",
    help="Plays mancala by the million to find out how its games behave.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _load() -> None:
    """Let every module of `pipelines.commands` add its command with its `register(app)`."""
    for module in sorted(m.name for m in pkgutil.iter_modules(commands.__path__)):
        importlib.import_module(f"{commands.__name__}.{module}").register(app)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code.

    0 done, 1 failed, 2 what the user gave is wrong, 130 interrupted.
    """
    _load()
    try:
        code = app(arguments, standalone_mode=False, prog_name="mancalab")
    except UserError as error:
        print(f"mancalab: {error}", file=sys.stderr)
        code = 2
    except click.ClickException as error:
        print(f"mancalab: {error.format_message()}", file=sys.stderr)
        code = 2
    except (KeyboardInterrupt, click.Abort):
        print("mancalab: interrupted", file=sys.stderr)
        code = 130
    except BrokenPipeError:
        # The reader of our output left (`| head`): there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code if isinstance(code, int) else 0)
