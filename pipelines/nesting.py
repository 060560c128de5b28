"""How deeply lists are nested in one value of a rule key, by which a sweep is told from it."""

from typing import Any

_NESTING = {"capture.counts": 1, "board.layout": 2}


def nesting(name: str) -> int:
    """Return how deeply lists are nested in one value of a key; most are no list.

    >>> nesting("board.pits"), nesting("board.layout")
    (0, 2)
    """
    return _NESTING.get(name, 0)


def depth(value: Any) -> int:
    """Return how deeply lists are nested in a value.

    >>> depth(3), depth([]), depth([[1, 2], [2, 1]])
    (0, 1, 2)
    """
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0
