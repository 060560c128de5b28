"""Memory does not grow with the number of games."""

import subprocess
import sys
from pathlib import Path

import pytest

PEAK = """
import resource, sys
from pipelines.cli import main
try:
    main(sys.argv[1:])
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def peak(*arguments: str) -> float:
    """Return the peak memory of a command in MiB."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *arguments], capture_output=True, text=True, check=True
    )
    return int(done.stderr.split()[-1]) / 1024


@pytest.mark.slow
@pytest.mark.parametrize("rules", [["sungka"], ["sungka", "--set", "match.kind=sunog"]])
def test_ten_times_the_games_take_the_same_memory(tmp_path: Path, rules: list[str]) -> None:
    few, many = (200_000, 2_000_000) if len(rules) == 1 else (2_000, 20_000)
    peaks = {}
    for games in (few, many):
        out = str(tmp_path / f"{games}")
        peaks["run", games] = peak("run", *rules, "--games", str(games), "--out", out)
        peaks["verify", games] = peak("verify", out)
        peaks["export", games] = peak("export", out, "--moves", "--out", f"{out}-moves")
    for command in ("run", "verify", "export"):
        assert peaks[command, many] < 1.1 * peaks[command, few], peaks
        assert peaks[command, many] < 1024, peaks
