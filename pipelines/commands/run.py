"""`mancalab run`: plays a plan into a dataset."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pipelines.messages import count, tell
from pipelines.options import file_name
from pipelines.remote import StoreError
from sim.errors import UserError, brief

if TYPE_CHECKING:
    from pipelines.executors import Executor
    from pipelines.plan import Plan
    from pipelines.sweep import Outcome
    from sim.rules import Value


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(run)


def run(
    variants: Annotated[
        list[str] | None,
        typer.Argument(metavar="VARIANT", help="Presets' names or TOML files."),
    ] = None,
    *,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", parser=file_name, help="The dataset's folder."),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            metavar="PLAN.toml", parser=file_name, help="Play this plan instead of options."
        ),
    ] = None,
    pits: Annotated[str | None, typer.Option(help="Pits a player: 5,6,7 or 5..7.")] = None,
    seeds: Annotated[str | None, typer.Option(help="Seeds a pit: 3,4 or 3..7.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Override a rule key; repeat a key to sweep over it."
        ),
    ] = None,
    games: Annotated[
        str | None, typer.Option(metavar="N", help="Games a cell. [default: 10_000]")
    ] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="S", help="Another seed, other games. [default: 0]")
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="A", help="A player; repeat for more. [default: random]"),
    ] = None,
    pairing: Annotated[
        Literal["self", "all", "mirror"] | None,
        typer.Option(
            help="Each agent against itself; all ordered pairs, itself included; or every two"
            " different ones in both seatings. [default: self]"
        ),
    ] = None,
    opening_plies: Annotated[
        str | None,
        typer.Option(
            metavar="K",
            help="Random plies at the start of every game, the same whoever plays. [default: 0]",
        ),
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option(
            metavar="W",
            help="Play on, beyond --games, until half the width of the interval of the first"
            " player's share is no more than W, as 0.005.",
        ),
    ] = None,
    margin_half_width: Annotated[
        float | None,
        typer.Option(metavar="W", help="The same of the margin's interval, in seeds."),
    ] = None,
    max_games: Annotated[
        str | None, typer.Option(metavar="N", help="Games of such a cell at most.")
    ] = None,
    total_games: Annotated[
        str | None,
        typer.Option(metavar="N", help="Games of all cells: the least precise get them first."),
    ] = None,
    log: Annotated[
        Literal["moves", "games", "none"] | None,
        typer.Option(
            help="Keep a row a game with its moves, without them, or no row, only statistics."
            " [default: moves]"
        ),
    ] = None,
    log_search: Annotated[
        bool,
        typer.Option(
            "--log-search", help="Log what players that search thought of each move, too."
        ),
    ] = False,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="i/n",
            help="Play the i-th of n shares of the cells, as one of many jobs; `merge` joins them.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be played, and write nothing.")
    ] = False,
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=1024, metavar="N", help="Threads. [default: one a processor]"),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Play on the workers of a Dask scheduler, such as tcp://host:8786, or on local:N"
            " processes of this machine.",
        ),
    ] = None,
    style: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How the outcome is printed.")
    ] = "text",
) -> None:
    """Play the grid of variants, rule keys and agents, and write a dataset.

    The grid is the product of all options. Running a finished plan again does nothing, an
    interrupted one goes on, a larger one plays what is missing.
    """
    from pipelines.grid import pair_up
    from pipelines.plan import document_of, parse_plan, read_plan

    given = {
        "VARIANT": variants, "--pits": pits, "--seeds": seeds, "--set": settings, "--games": games,
        "--seed": seed, "--agent": agents, "--pairing": pairing,
        "--opening-plies": opening_plies, "--log": log, "--log-search": log_search,
        "--half-width": half_width is not None,
        "--margin-half-width": margin_half_width is not None,
        "--max-games": max_games, "--total-games": total_games,
    }  # fmt: skip
    # A player of the user's may print, when its file is loaded and when it moves.
    with _telling_how_to_begin(), redirect_stdout(sys.stderr):
        if plan is not None:
            if extra := [name for name, value in given.items() if value]:
                raise UserError(f"--plan says what to play: leave out {', '.join(extra)}")
            whole = read_plan(plan)
        else:
            if not variants:
                raise UserError("nothing to play: name a variant, such as 'kalah', or give --plan")
            document = document_of(
                variants,
                _grid_keys(pits, seeds, settings or []),
                pair_up(agents or ["random"], pairing or "self"),
                seed=0 if seed is None else whole_number(seed, "--seed"),
                games=None if games is None else whole_number(games, "--games"),
                log=log or "moves",
                search=log_search,
                opening_plies=whole_number(opening_plies or "0", "--opening-plies"),
                stop=_stop(half_width, margin_half_width, max_games, total_games),
            )
            whole = parse_plan(document, "run", Path())
    if cluster is not None and threads is not None:
        raise UserError("--threads and --cluster are both given: leave one out")
    if shard is not None:
        whole = shared(whole, parse_share(shard))
    if dry_run:
        from pipelines.outlook import show_outlook

        show_outlook(whole, out, style)
    elif out is None:
        raise UserError("--out DIR is missing: name the folder for the dataset")
    else:
        _show(_play(whole, out, threads, cluster), whole, style)


def whole_number(text: str, option: str) -> int:
    """Parse a whole number as people write large ones.

    >>> whole_number("100_000", "--games"), whole_number("1.5e6", "--games")
    (100000, 1500000)
    """
    if re.fullmatch(r"\d[\d_]*(\.\d+)?([eE]\d{1,2})?", text.strip(), re.ASCII):
        number = Decimal(text.strip().replace("_", ""))
        if number == number.to_integral_value():
            return int(number)
    raise UserError(f"{option} {text}: give a whole number such as 100_000 or 1e6")


def parse_share(text: str) -> tuple[int, int]:
    """Parse a share.

    >>> parse_share("3/10")
    (3, 10)
    """
    match = re.fullmatch(r"\s*(\d{1,6})\s*/\s*(\d{1,6})\s*", text, re.ASCII)
    if match and 1 <= int(match[1]) <= int(match[2]):
        return int(match[1]), int(match[2])
    raise UserError(f"--shard {brief(text)}: give i/n with i from 1 to n, such as 3/10")


def shared(plan: Plan, share: tuple[int, int]) -> Plan:
    """Return a share of a plan. Raises `UserError` where no share is on its own."""
    if plan.stop and plan.stop.budget is not None:
        raise UserError(
            "--shard: stop.total_games is shared out among all cells, of which a share knows only"
            " its own: leave total_games out, or --shard"
        )
    return replace(plan, share=share)


def _stop(
    half: float | None, margin: float | None, most: str | None, total: str | None
) -> dict[str, float | int]:
    """Return a plan's `[stop]` of what is given of it."""
    widths = {"half_width": half, "margin_half_width": margin}
    numbers = {
        name: whole_number(text, f"--{name.replace('_', '-')}")
        for name, text in {"max_games": most, "total_games": total}.items()
        if text is not None
    }
    return {name: width for name, width in widths.items() if width is not None} | numbers


def _grid_keys(pits: str | None, seeds: str | None, settings: list[str]) -> dict[str, list[Value]]:
    from pipelines.options import BOARD_OPTIONS, board_keys, parse_ints, parse_set

    keys = parse_set(settings)
    board = board_keys(pits, seeds, keys)
    numbers = {key: parse_ints(text, BOARD_OPTIONS[key]) for key, text in board.items()}
    return {**{key: list(values) for key, values in numbers.items()}, **keys}


@contextmanager
def _telling_how_to_begin() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        _tell_how_to_begin()
        raise


def _tell_how_to_begin() -> None:
    tell(f"nothing was played; to begin anew: {shlex.join(['mancalab', *sys.argv[1:]])}")


def _play(plan: Plan, out: Path, threads: int | None, cluster: str | None) -> Outcome:
    from pipelines import sweep

    try:
        with redirect_stdout(sys.stderr), _executor(out, threads, cluster) as executor:
            return sweep.run(plan, out, executor, tell)
    except (KeyboardInterrupt, OSError, StoreError):
        # The plan in the dataset stands alone, so this works wherever the plan came from.
        command = ["mancalab", "run", "--plan", str(out / "plan.toml"), "--out", str(out)]
        command += ["--shard", "{}/{}".format(*plan.share)] if plan.share[1] > 1 else []
        command += ["--cluster", cluster] if cluster is not None else []
        if _is_begun(out):
            tell(f"what is finished is kept; to go on: {shlex.join(command)}")
        else:
            _tell_how_to_begin()
        raise


def _executor(
    out: Path, threads: int | None, cluster: str | None
) -> AbstractContextManager[Executor]:
    from pipelines.executors import Threads

    if cluster is None:
        return nullcontext(Threads(threads))
    try:
        from pipelines.cluster import Cluster
    except ModuleNotFoundError:
        raise UserError(
            "--cluster: Dask is not installed: pip install 'mancalab[cluster]'"
        ) from None
    return Cluster(cluster, out, tell)


def _is_begun(out: Path) -> bool:
    """Whether there is a dataset; a store that does not answer now has answered before."""
    try:
        return (out / "plan.toml").is_file()
    except StoreError:
        return True


def _show(outcome: Outcome, plan: Plan, style: str) -> None:
    dataset = outcome.dataset
    if style == "json":
        done = {
            "out": str(dataset.folder), "cells": len(plan.cells), "games": dataset.games,
            "moves": dataset.moves, "played": outcome.played, "seconds": round(outcome.seconds, 3),
        }  # fmt: skip
        print(json.dumps(done, ensure_ascii=False))
        return
    parts = {"cell": len(plan.shared), "game": dataset.games, "move": dataset.moves}
    holds = ", ".join(count(number, what) for what, number in parts.items())
    if plan.share[1] > 1:
        holds = "share {} of {}: {}".format(*plan.share, holds)
    if not outcome.played:
        print(f"{dataset.folder}: complete already, nothing to do: {holds}")
        return
    played = f"{count(outcome.played, 'game')} played in {outcome.seconds:.1f} s"
    print(f"{dataset.folder}: {holds}; {played}")
    tell(f"next: {shlex.join(['mancalab', 'report', str(dataset.folder)])}")
