"""Runs the `mancalab` command in this process."""

import pytest

from pipelines.cli import main

Said = tuple[int, str, str]


def mancalab(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    """Return the exit code, and what went to stdout and to stderr."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    out, err = capsys.readouterr()
    assert isinstance(left.value.code, int)
    return left.value.code, out, err


def refused(said: Said) -> str:
    """Return the message of what the user gave wrong: one line, exit code 2, nothing printed."""
    code, out, err = said
    assert (code, out) == (2, "")
    assert err.startswith("mancalab: ")
    assert err.count("\n") == 1
    return err
