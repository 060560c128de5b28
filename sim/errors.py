"""The one kind of error that a user can cause."""

import difflib
import json
from collections.abc import Callable, Iterable
from typing import Any


class UserError(Exception):
    """What the user gave is wrong: one line that says what, where and how to mend it.

    The command prints it without a traceback and exits with 2.
    """


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `" (did you mean 'x'?)"` for the nearest known word, or an empty string.

    >>> did_you_mean("sunka", ["sungka", "kalah"])
    " (did you mean 'sungka'?)"
    >>> did_you_mean("zzz", ["sungka"])
    ''
    """
    near = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def brief(text: str, most: int = 60) -> str:
    """Return a text cut short, for a message that quotes it.

    >>> brief("kalah"), brief("k" * 5000, 10)
    ('kalah', 'kkkkkkk...')
    """
    return text if len(text) <= most else f"{text[: most - 3]}..."


def shown(value: Any) -> str:
    """Return a value as JSON, cut short, for a message of one line.

    >>> shown([True, "x", None])
    '[true, "x", null]'
    """
    try:
        text = json.dumps(value, default=str)
    except ValueError:  # an integer of more digits than Python prints
        return "a huge number"
    return brief(text)


def guarded(show: Callable[[Any], str], value: Any) -> str:
    """Return what `str` or `repr` makes of what a user's own code made, on one line.

    That code may have a say in it, and be wrong there too.

    >>> guarded(repr, ["a", 1])
    "['a', 1]"
    """
    try:
        return " ".join(show(value).split())
    except Exception:
        return f"a {type(value).__name__} that cannot be shown"
