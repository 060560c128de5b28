"""Endgame tables: the exact value of every position with few seeds left, built once and kept."""

import hashlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from math import comb
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from sim.errors import UserError
from sim.kernel.endgames import Endgames
from sim.kernel.jit import cache_home
from sim.kernel.retrograde import Work, advanced, expanded, valued
from sim.rules import MAX_BOUND, Rules, Value
from sim.tables import packed, tables, words_of

ENGINE = 1
"""Part of what kept tables are known by: raise it when a rule is read otherwise than before."""

MEMORY = 1 << 30  # bytes
MOST_MEMORY = 1 << 34  # positions and moves of a level are numbered in 32 bits, four bytes each
MOST_SEEDS = 126  # a value is a signed byte, and a bound may be one more
WAIT_SECONDS = 3600
DIGEST_BYTES = 16

LEFT_OUT: dict[str, Value] = {
    "end.win_seeds": "none",
    "end.repetition": "none",
    "end.on_repetition": "leave",
    "end.max_plies": MAX_BOUND,
}
"""What tables do not know: how much is in the stores, and what came before."""


def solved_rules(rules: Rules) -> tuple[Rules, list[str]]:
    """Return the rules that a table solves in place of these, and in sentences what differs.

    Raises `UserError` for a match of several rounds.

    >>> from sim.presets import load_variant
    >>> solved_rules(load_variant("kalah").rules)[1]
    ['end.max_plies is left out: a round may go on without a bound.']
    """
    if rules.match.kind != "single":
        raise UserError(
            f"match.kind = {rules.match.kind!r} cannot be solved: solve one round, with"
            " --set match.kind=single"
        )
    notes = []
    if rules.win_seeds is not None:
        same = rules.win_seeds > rules.total // 2
        winner = "the same with other margins" if same else "perhaps another"
        notes.append(f"end.win_seeds is left out: the winner is {winner}.")
    if rules.end.repetition != "none" and rules.end.on_repetition == "owner":
        notes.append(
            "end.repetition is left out: play without end is worth 0, as if nobody took the seeds"
            " that are left (end.on_repetition = 'leave')."
        )
    notes.append("end.max_plies is left out: a round may go on without a bound.")
    return rules.with_keys(LEFT_OUT), notes


def endgames(
    rules: Rules,
    seeds: int,
    tell: Callable[[str], None] = lambda _: None,
    memory: int = MEMORY,
) -> Endgames:
    """Return the values of all positions with at most `seeds` seeds in the rows.

    The rules are those of `solved_rules`. Levels that are kept on disk are read; the others are
    built, each announced to `tell`, and kept. Raises `UserError` where that many seeds would take
    more than `memory` bytes to build (kept or not), and for a match of several rounds.

    >>> from sim.presets import load_variant
    >>> table = endgames(load_variant("awari").rules, 1)
    >>> look_up(table, [[0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0]])  # who has to feed loses it
    (-1, 3)
    """
    solved, _ = solved_rules(rules)
    pits, words = solved.board.pits, words_of(solved.board.pits)
    refuse_excess(pits, seeds, memory)
    e, file = _unfilled(pits, seeds), _File(solved)
    if file.read(e) > seeds:
        return e
    with file.alone():
        done = file.read(e)  # another process may have built meanwhile
        # Laps are worked out for as many seeds as the variant has: for these, then.
        bare = [0] * (pits - 1)
        t = tables(solved.with_keys({"board.layout": [[0, *bare], [*bare, max(seeds, 1)]]}))
        work = _work(pits, seeds)
        for s in range(done, seeds + 1):
            values, stages = level(e, s)
            tell(f"endgames: {s} of {seeds} seeds, {len(values):,} positions")
            first = packed([0, *bare], words), packed([*bare, s], words)
            opened, stage, changed = expanded(t, e, work, *first, len(values)), 1, True
            while changed:
                stage += 1
                opened, changed = advanced(work, stages, opened, stage)
            valued(work, values)
            file.keep(e, s)
    return e


def look_up(e: Endgames, rows: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Return the value and the stage of a position, the mover's row first.

    Raises `IndexError` where it is not covered.
    """
    sums = np.cumsum([*rows[0], *rows[1]])
    if sums[-1] > e.seeds:
        raise IndexError(f"{sums[-1]} seeds in the rows: the table covers up to {e.seeds}")
    at = sum(comb(int(before) + i, i + 1) for i, before in enumerate(sums))
    return int(e.values[at]), int(e.stages[at])


def counts(e: Endgames) -> dict[int, dict[int, int]]:
    """Return, by the seeds in the rows, how many positions have each value that occurs."""
    found = {}
    for s in range(e.seeds + 1):
        values, times = np.unique(level(e, s)[0], return_counts=True)
        found[s] = dict(zip(values.tolist(), times.tolist(), strict=True))
    return found


def level(e: Endgames, seeds: int) -> tuple[NDArray[np.int8], NDArray[np.uint16]]:
    """Return the values and the stages of the positions with so many seeds, as views."""
    part = slice(int(e.offsets[seeds]), int(e.offsets[seeds + 1]))
    return e.values[part], e.stages[part]


def _unfilled(pits: int, seeds: int) -> Endgames:
    binomials = [[comb(k + i, i + 1) for k in range(seeds + 2)] for i in range(2 * pits)]
    size = binomials[-1][-1]
    return Endgames(
        np.empty(size, np.int8), np.empty(size, np.uint16), np.array(binomials, np.uint64)
    )


def _sizes(pits: int, seeds: int) -> tuple[int, int]:
    """Return how many positions a level has, and at most how many moves within it."""
    cells = 2 * pits
    passes = comb(seeds + pits - 1, pits - 1)
    return comb(seeds + cells - 1, cells - 1), pits * comb(seeds + cells - 2, cells - 1) + passes


def _work(pits: int, seeds: int) -> Work:
    size, moves = _sizes(pits, seeds)
    low, high, next_low, next_high = (np.empty(size, np.int8) for _ in range(4))
    return Work(
        low, high, next_low, next_high,
        open=np.empty(size, np.uint32),
        first=np.empty(size + 1, np.uint32),
        children=np.empty(moves, np.uint32),
    )  # fmt: skip


def bytes_needed(pits: int, seeds: int) -> int:
    """Return the memory that building a table takes, the table with it."""
    size, moves = _sizes(pits, seeds)
    return 3 * comb(seeds + 2 * pits, 2 * pits) + 12 * size + 4 * moves + 4


def refuse_excess(pits: int, seeds: int, memory: int = MEMORY) -> None:
    """Raise `UserError` where `endgames` would for so many seeds, before anything is built."""
    if not 0 <= seeds <= MOST_SEEDS:
        raise UserError(f"endgames of {seeds} seeds: give an integer from 0 to {MOST_SEEDS}")
    memory = min(memory, MOST_MEMORY)
    if bytes_needed(pits, seeds) > memory:
        fitting = (s for s in range(seeds) if bytes_needed(pits, s) <= memory)
        raise UserError(
            f"endgames of {seeds} seeds with board.pits = {pits} take"
            f" {bytes_needed(pits, seeds) / 2**20:,.0f} MiB to build, and may take"
            f" {memory / 2**20:,.0f}: ask for {max(fitting, default=0)} seeds or fewer"
        )


class _File:
    """Where a table is kept: its levels one after the other, each with a checksum.

    A level that was cut short or changed, or is another rule's, and all after it are not read.
    """

    def __init__(self, solved: Rules) -> None:
        idle = ("board.seeds", "board.layout", *LEFT_OUT)
        meaning = {key: v for key, v in solved.meaning().items() if key not in idle}
        text = json.dumps([ENGINE, sys.byteorder, meaning], sort_keys=True)
        self.seal = hashlib.blake2b(text.encode(), digest_size=DIGEST_BYTES)
        self.path = cache_home() / "endgames" / self.seal.hexdigest()

    def read(self, e: Endgames) -> int:
        """Fill a table with the levels that are kept and sound; return how many they are."""
        with suppress(OSError), self.path.open("rb") as file:
            for s in range(e.seeds + 1):
                for part in level(e, s):
                    file.readinto(part.data)
                if file.read(DIGEST_BYTES) != self._checksum(e, s):
                    return s
            return e.seeds + 1
        return 0

    def keep(self, e: Endgames, seeds: int) -> None:
        """Write the levels up to this one, where there is a place to write."""
        with suppress(OSError), tempfile.TemporaryDirectory(dir=self.path.parent) as folder:
            whole = Path(folder) / self.path.name
            with whole.open("wb") as file:
                for s in range(seeds + 1):
                    for part in level(e, s):
                        file.write(part.data)
                    file.write(self._checksum(e, s))
            whole.replace(self.path)

    def _checksum(self, e: Endgames, seeds: int) -> bytes:
        seal = self.seal.copy()
        for part in level(e, seeds):
            seal.update(part.data)
        return seal.digest()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes from building the same, where a lock can be had."""
        with ExitStack() as stack:
            with suppress(OSError, Timeout):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                lock = FileLock(f"{self.path}.lock")
                stack.enter_context(lock.acquire(timeout=WAIT_SECONDS))
            yield
