"""`mancalab solve`: a game's exact value, and those of its first moves."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pipelines.messages import count, folded, tell
from pipelines.options import (
    SetOption,
    VariantArgument,
    board_keys,
    one_each,
    parse_bytes,
    parse_set,
)
from sim.errors import UserError

if TYPE_CHECKING:
    from sim.presets import Variant
    from sim.rules import Value
    from sim.solution import FirstMove, Solution


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(solve)


def solve(
    variant: VariantArgument,
    *,
    pits: Annotated[int | None, typer.Option(metavar="N", help="Pits a player.")] = None,
    seeds: Annotated[int | None, typer.Option(metavar="N", help="Seeds a pit.")] = None,
    set_: SetOption = [],  # noqa: B006  Typer copies it
    memory: Annotated[
        str, typer.Option(metavar="BYTES", help="How much may be used, such as 512MiB or 4GB.")
    ] = "1GiB",
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="How long it may take. [default: no limit]")
    ] = None,
    endgame: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Instead, count the positions with at most N seeds in the rows by their values.",
        ),
    ] = None,
    style: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How it is printed.")
    ] = "text",
) -> None:
    """Solve a small game: its value under perfect play, and that of each first move.

    Exit code 1: not solved within the memory and the time allowed; what is known is printed. Games
    whose sowing does not pass the own store, such as Oware, need an endgame table of all their
    seeds, which is kept for the next time. The others, such as Kalah, are searched.
    """
    keys = _keys(pits, seeds, set_)
    allowed = parse_bytes(memory, "--memory")
    if seconds is not None and not 0 < seconds < math.inf:
        raise UserError(f"--seconds {seconds:g}: give a number of seconds above 0")
    if endgame is not None and seconds is not None:
        raise UserError("--endgame goes without --seconds: an interrupted table goes on")

    from sim.presets import load_variant

    chosen = load_variant(variant, keys)
    if endgame is not None:
        _count_endgames(chosen, endgame, allowed, style)
        return
    solution = _solve(chosen, allowed, math.inf if seconds is None else seconds)
    if style == "json":
        print(json.dumps(_document(chosen.name, solution), ensure_ascii=False))
    else:
        print("\n".join(_lines(chosen, solution)))
    if not solution.solved:
        raise typer.Exit(1)


def _keys(pits: int | None, seeds: int | None, set_: list[str]) -> dict[str, Value]:
    keys = one_each(parse_set(set_))
    return keys | board_keys(pits, seeds, keys)


def _solve(variant: Variant, memory: int, seconds: float) -> Solution:
    from pipelines.progress import Ticker
    from sim import solve
    from sim.endgames import solved_rules
    from sim.warming import warm_solve

    rules = variant.rules
    solved_rules(rules)  # refuses what cannot be solved before anything is compiled
    if rules.sowing.own_store or solve.table_fits(rules, memory):
        warm_solve(rules, tell, by_table=not rules.sowing.own_store)
    with Ticker() as watch:
        return solve.solve(rules, memory=memory, seconds=seconds, watch=watch)


def _document(name: str, solution: Solution) -> dict[str, Any]:
    return {
        "variant": name,
        "solved": solution.solved,
        "margin": solution.margin,
        "outcome": solution.outcome,
        "bounds": [solution.low, solution.high],
        "to_move": solution.to_move,
        "moves": [
            {
                "pit": move.pit,
                "margin": solution.margin_of(move),
                "outcome": solution.outcome_of(move),
                "bounds": [move.low, move.high],
                "best": move.pit in solution.best,
            }
            for move in solution.moves
        ],
        "positions": solution.positions,
        "seconds": round(solution.seconds, 3),
        "unsolved": solution.unsolved or None,
        "notes": list(solution.notes),
    }


def _lines(variant: Variant, solution: Solution) -> list[str]:
    """Return a solution to be read."""
    from reports.tables import Table

    board = variant.rules.board
    size = f"{board.pits} pits" if board.seeds is None else f"{board.pits}×{board.seeds}"
    lines = [folded(f"{variant.name} {size}: {_verdict(solution, variant.rules.total)}")]
    if solution.moves and solution.positions:
        rows = [_row(solution, move) for move in solution.moves]
        table = Table(["pit", "margin", "outcome", ""], rows, [True, True, False, False])
        if not solution.in_seeds:
            table = Table(
                ["pit", "outcome", ""], [[r[0], *r[2:]] for r in rows], [True, False, False]
            )
        lines += [
            "",
            f"player {solution.to_move}'s first moves, and what they are worth to player 0",
            *table.terminal().splitlines(),
        ]
    if solution.positions:
        lines += ["", f"{count(solution.positions, 'position')} in {solution.seconds:.1f} s"]
    return lines + [folded(f"note: {note}", indent=2) for note in solution.notes]


def _verdict(solution: Solution, seeds: int) -> str:
    if not solution.solved:
        narrower = solution.in_seeds and (solution.low, solution.high) != (-seeds, seeds)
        known = f"; player 0 wins by {_within(solution, solution)}" if narrower else ""
        return solution.unsolved + known
    if solution.outcome == "draw":
        return "a draw under perfect play"
    winner = 0 if solution.outcome == "win" else 1
    by = "" if solution.margin is None else f" by {abs(solution.margin)}"
    return f"player {winner} wins{by} under perfect play"


def _row(solution: Solution, move: FirstMove) -> list[str]:
    margin = str(move.low) if move.low == move.high else _within(solution, move)
    best = "best" if move.pit in solution.best else ""
    return [str(move.pit), margin, solution.outcome_of(move) or "not known", best]


def _within(solution: Solution, part: Solution | FirstMove) -> str:
    """Say between which bounds a value is; nothing where it is not in seeds."""
    return f"{part.low} to {part.high}" if solution.in_seeds else ""


def _count_endgames(variant: Variant, seeds: int, memory: int, style: str) -> None:
    from pipelines.progress import Ticker
    from reports.tables import Table
    from sim.endgames import refuse_excess, solved_rules
    from sim.solve import count_endgames
    from sim.warming import warm_solve

    _, notes = solved_rules(variant.rules)
    refuse_excess(variant.rules.board.pits, seeds, memory)
    warm_solve(variant.rules, tell, by_table=True)
    with Ticker() as watch:
        counts = count_endgames(variant.rules, seeds, memory=memory, watch=watch)
    if style == "json":
        print(json.dumps({"variant": variant.name, "counts": counts, "notes": notes}))
        return
    rows = [
        [f"{s:,}", f"{value:+}" if value else "0", f"{times:,}"]
        for s, values in counts.items()
        for value, times in values.items()
    ]
    headings = ["seeds in the rows", "value for the mover", "positions"]
    print("\n".join(Table(headings, rows, [True] * 3).terminal().splitlines()))
    for note in notes:
        print(folded(f"note: {note}", indent=2))
