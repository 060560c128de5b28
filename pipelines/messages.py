"""What the commands say beside their results: lines on stderr."""

import sys


def tell(message: str) -> None:
    """Print a message for the user, a line that says who speaks."""
    print(f"mancalab: {message}", file=sys.stderr)


def lacking_moves(bare: int) -> str:
    """Say what `bare` games that were logged without moves mean for a table of moves."""
    return f"{bare:,} games were logged without moves (--log games): `moves` lacks them"


def count(number: int, what: str) -> str:
    """Say how many there are of what is named in the singular.

    >>> count(1, "cell"), count(1200, "game")
    ('1 cell', '1,200 games')
    """
    return f"{number:,} {what}" + ("" if number == 1 else "s")
