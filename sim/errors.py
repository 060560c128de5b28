"""The one kind of error that a user can cause."""

import difflib
from collections.abc import Iterable


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
