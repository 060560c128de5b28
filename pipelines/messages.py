"""What the commands say beside their results: lines on stderr."""

import sys


def tell(message: str) -> None:
    """Print a message for the user, a line that says who speaks."""
    print(f"mancalab: {message}", file=sys.stderr)


def lacking_moves(bare: int) -> str:
    """Say what `bare` games that were logged without moves mean for a table of moves."""
    return f"{bare:,} games were logged without moves (--log games): `moves` lacks them"
