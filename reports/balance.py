"""The standard report as tables for people: advantage, margin and length."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from reports.labels import Labels
from reports.tables import Table

Cell = Mapping[str, Any]
Figure = Callable[[Cell], str]

NONE = "–"  # where there is no figure
MARKS = "†‡§¶‖#"
UNITS = ("plies", "turns")
QUANTILES = {"mean": "mean", "median": "median", "p5": "5 %", "p95": "95 %", "max": "max"}


def tables(cells: Sequence[Cell], labels: Labels, *, folded: bool) -> list[Table]:
    """Return the tables of the standard report.

    `cells` are the rows of the query `balance`. A figure that needs a note bears its mark, and
    the notes follow the last table. With `folded`, what belongs to a cell is one row, of several
    lines.
    """
    names = [("\n" if folded else ", ").join(labels.lines(cell["cell"])) for cell in cells]
    marks = _marks(note for cell in cells for note in cell["notes"])
    players = f"; {labels.everywhere}" if labels.everywhere else ""
    advantage: dict[str, Figure] = {
        "games": _count("games"),
        "ended\n%": lambda cell: completion(cell["completion"]),
        "win\n%": _rate("wins0"),
        "draw\n%": _rate("draws"),
        "loss\n%": _rate("wins1"),
        "share": _marked("first_player_share", 4, "share", marks),
        "95 %\ninterval": _interval("share", 4),
    }
    margin: dict[str, Figure] = {
        "games": _count("games"),
        "distinct\ngames": _distinct,
        "mean\nmargin": _marked("margin_mean", 2, "margin", marks),
        "95 %\ninterval": _interval("margin", 2),
    }
    shares = _table(f"First player's share of the points{players}", names, cells, advantage)
    shares.lines.append("A win counts 1, a draw ½. Ended: by a rule, not by a bound.")
    margins = _table("Margin: the first player's seeds minus the second's", names, cells, margin)
    if not all(cell["distinct_exact"] for cell in cells):
        margins.lines.append("~: an estimate, from a sample of the games that differ.")
    lengths = _lengths(names, cells, folded=folded)
    lengths.lines += [f"{mark} {note}" for note, mark in marks.items()]
    return [shares, margins, lengths]


def match_tables(matches: Sequence[Cell], labels: Labels, *, folded: bool) -> list[Table]:
    """Return the tables of a sweep's matches. `matches` are the rows of the query `matches`."""
    names = [("\n" if folded else ", ").join(labels.lines(cell["cell"])) for cell in matches]
    ends: dict[str, Figure] = {
        "matches": _count("matches"),
        "burnt\nout %": _percent("burnt_out"),
        "bound of\nrounds %": _percent("max_rounds"),
        "rounds\nmean": lambda cell: number(cell["rounds_mean"], 1),
        "median": lambda cell: number(cell["rounds_median"], 0),
        "95 %": lambda cell: number(cell["rounds_p95"], 0),
        "max": lambda cell: number(cell["rounds_max"], 0),
    }
    shares: dict[str, Figure] = {
        "by\nmatch": lambda cell: number(cell["match_share"], 4),
        "95 %\ninterval": _interval("match", 4),
        "by\nround": lambda cell: number(cell["round_share"], 4),
        "95 %\ninterval ": _interval("round", 4),
        "burnt\npits": lambda cell: number(cell["burnt_mean"], 2),
        "turned\n%": _percent("half_time_turned"),
    }
    ended = _table("Matches: rounds, and how they end", names, matches, ends)
    ended.lines.append(
        "Burnt out: a player could not fill a pit. Else the bound of rounds ended it."
    )
    won = _table("First player's share in matches", names, matches, shares)
    won.lines += [
        "By match: of the points of matches, for who begins the match. By round: of those",
        "of rounds, for who begins the round; its interval is clustered by match. Burnt",
        "pits: a round, both players'. Turned: matches won from behind at half time.",
    ]
    return [ended, won]


def number(value: float | None, digits: int) -> str:
    """Return a figure to so many digits behind the point, or a dash where there is none."""
    return NONE if value is None else f"{value:.{digits}f}"


def completion(share: float | None) -> str:
    """Return a share in per cent; only what is whole shows as 100.

    >>> completion(1.0), completion(0.99999), completion(0.5)
    ('100', '99.99', '50.00')
    """
    if share is None or share == 1:
        return NONE if share is None else "100"
    return f"{math.floor(share * 10_000) / 100:.2f}"


def _marks(notes: Iterable[str]) -> dict[str, str]:
    """Return a mark for each note, in the order in which they appear."""
    return {
        note: MARKS[place % len(MARKS)] * (place // len(MARKS) + 1)
        for place, note in enumerate(dict.fromkeys(notes))
    }


def _table(
    title: str, names: Sequence[str], cells: Sequence[Cell], figures: Mapping[str, Figure]
) -> Table:
    rows = [
        [name, *(text(cell) for text in figures.values())]
        for name, cell in zip(names, cells, strict=True)
    ]
    return Table(["", *figures], rows, [False, *[True] * len(figures)], title)


def _lengths(names: Sequence[str], cells: Sequence[Cell], *, folded: bool) -> Table:
    """Return the table of lengths: for each cell one row a unit, or one row of several lines."""
    rows: list[list[str]] = []
    for name, cell in zip(names, cells, strict=True):
        figures = [
            [
                unit,
                *(number(cell[f"{unit}_{part}"], 1 if part == "mean" else 0) for part in QUANTILES),
            ]
            for unit in UNITS
        ]
        if folded:
            rows.append([name, *("\n".join(column) for column in zip(*figures, strict=True))])
        else:
            rows += [[name, *row] for row in figures]
    right = [False, False, *[True] * len(QUANTILES)]
    return Table(["", "in", *QUANTILES.values()], rows, right, "Length of a game")


def _count(figure: str) -> Figure:
    return lambda cell: f"{cell[figure]:,}"


def _distinct(cell: Cell) -> str:
    return f"{'' if cell['distinct_exact'] else '~'}{cell['distinct_games']:,}"


def _rate(figure: str) -> Figure:
    return lambda cell: f"{100 * cell[figure] / cell['games']:.1f}" if cell["games"] else NONE


def _percent(figure: str) -> Figure:
    def text(cell: Cell) -> str:
        return NONE if cell[figure] is None else f"{100 * cell[figure]:.1f}"

    return text


def _marked(figure: str, digits: int, about: str, marks: Mapping[str, str]) -> Figure:
    """Return a figure with the marks of the notes that name `about` first."""

    def text(cell: Cell) -> str:
        mine = [note for note in cell["notes"] if about in note.partition(":")[0].split(", ")]
        return number(cell[figure], digits) + "".join(marks[note] for note in mine)

    return text


def _interval(figure: str, digits: int) -> Figure:
    def text(cell: Cell) -> str:
        low, high = cell[f"{figure}_low"], cell[f"{figure}_high"]
        return NONE if low is None else f"{number(low, digits)} – {number(high, digits)}"

    return text
