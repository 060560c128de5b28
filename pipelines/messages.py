"""What the commands say beside their results: lines on stderr."""

import sys
import textwrap


def tell(message: str) -> None:
    """Print a message for the user, a line that says who speaks."""
    print(f"mancalab: {message}", file=sys.stderr)


def lacking_searches(games: int) -> str:
    """Say what games that were logged without searches mean for a table of moves."""
    return (
        f"{games:,} games were logged without searches (--log-search): their `search_worth` and"
        " `search_nodes` are null"
    )


def lacking_moves(games: int) -> str:
    """Say what games that were logged without moves mean for a table of moves."""
    return f"{games:,} games were logged without moves (--log games): `moves` lacks them"


def lacking_rows(games: int) -> str:
    """Say what games of which only statistics are kept mean for what reads their rows."""
    return (
        f"of {games:,} games only statistics are kept (--log none), which `report` reads: to keep"
        " their rows too, run them with --log games or --log moves into another folder"
    )


def count(number: int, what: str) -> str:
    """Say how many there are of what is named in the singular.

    >>> count(1, "cell"), count(1200, "game")
    ('1 cell', '1,200 games')
    """
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def folded(text: str, indent: int = 0, width: int = 80) -> str:
    """Break a line between words where it is wider than a terminal; paths and numbers stay whole.

    >>> folded("1  owari 6×4, greedy", indent=3, width=16)
    '1  owari 6×4,\\n   greedy'
    """
    return textwrap.fill(
        text, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )
