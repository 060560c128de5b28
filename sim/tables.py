"""Rules as data: where each lap lands and what it adds, worked out once for a variant."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernel.names import CAPTURE, END_WHEN, GRAND_SLAM, MUST_FEED, STARTER
from sim.rules import Rules

U = np.uint64
NEVER = 2**40  # a bound that no game reaches
OWN_STORE, OTHER_SIDE = 15, 16
WORDS_NARROW, WORDS_WIDE = 1, 2


WORD_FIELDS = (
    "pits",
    "lap_shift",  # entry = layout * layout_stride + (cell << lap_shift) + seeds
    "layout_stride",
    "facing",  # own pit i faces cell `facing - i`
    "max_laps",
    "takes_nothing",  # 1 where the capturing seed is taken though the facing pit is empty
    "own_seed",  # 1 where the capturing seed goes along
    "above_counts",  # for `rows.any_above`: a pit with more cannot be captured; 0: no such bound
    "win_seeds",
    "refill",
)
NUMBER_FIELDS = (
    "relay",
    "extra_turn",
    "capture",  # index in CAPTURE
    "grand_slam",  # index in GRAND_SLAM
    "must_feed",  # index in MUST_FEED
    "restricted",  # whether an occupied pit can be illegal
    "restricted_slam",  # whether a move that empties the other row may be illegal or change
    "majority",  # whether `win_seeds` ends rounds
    "end_when",  # index in END_WHEN
    "leftover_opponent",
    "repeats",  # whether there is a repetition rule
    "repetition",
    "repetition_leave",
    "max_plies",
    "sunog",
    "reopen",
    "starter",  # index in STARTER
    "max_rounds",
)
RULE = np.dtype(
    [(name, np.uint64) for name in WORD_FIELDS] + [(name, np.int64) for name in NUMBER_FIELDS]
)
"""The numbers of a variant. A record reaches compiled code as one pointer; as separate arguments
they would make every function slower to compile."""


class Tables(NamedTuple):
    """A variant as the kernel reads it.

    A *layout* is a pair of numbers of closed pits, the mover's and the opponent's: closed pits
    are always the ones that are filled last, so their number says which they are. Single rounds
    have the one layout (0, 0).
    """

    rule: Any  # a record of `RULE`
    start: Any  # (row of player 0, row of player 1), each a row as in `kernel.rows`
    adds: NDArray[np.uint64]  # flat: what a lap adds to each word of (me, opp)
    lands: NDArray[np.uint8]  # flat: the cell of its last seed
    counts: NDArray[np.uint64]  # each size that is captured, in every byte of a word
    filled: NDArray[np.uint64]  # flat: a row with k pits filled, k = 0 … pits
    select: NDArray[np.uint64]  # (4096,): nibble r: the r-th set bit of a mask; nibble 15: how many


def words_of(pits: int) -> int:
    """Return the 64-bit words that a row of so many pits takes."""
    return WORDS_NARROW if pits <= 7 else WORDS_WIDE


@lru_cache(maxsize=8)  # few: those of a match on a wide board take 40 MB
def tables(rules: Rules) -> Tables:
    """Work out a variant's tables. Cached: many batches of one cell are played in a row."""
    pits, words = rules.board.pits, words_of(rules.board.pits)
    sunog = rules.match.kind == "sunog"
    adds, lands = _laps(rules, (pits + 1) if sunog else 1)
    top = max(rules.capture.counts)
    emptying = rules.end.goal == "empty-first"
    slam = rules.capture.grand_slam if rules.capture.kind == "count" else "allowed"
    numbers = {
        "pits": pits,
        "lap_shift": _lap_shift(rules),
        "layout_stride": 2 * OTHER_SIDE << _lap_shift(rules),
        "facing": OTHER_SIDE + pits - 1,
        "relay": rules.sowing.relay == "occupied",
        "max_laps": rules.sowing.max_laps if rules.bounded_laps else NEVER,
        "extra_turn": rules.sowing.extra_turn,
        "capture": CAPTURE.index(rules.capture.kind),
        "takes_nothing": not rules.capture.needs_opposite,
        "own_seed": rules.capture.takes_own_seed,
        "above_counts": (127 - top) * 0x0101010101010101 if top <= 127 else 0,
        "grand_slam": GRAND_SLAM.index(rules.capture.grand_slam),
        "must_feed": MUST_FEED.index(rules.play.must_feed),
        "restricted": rules.play.must_feed != "no" or slam == "forbidden",
        "restricted_slam": rules.play.must_feed != "no" or slam != "allowed",
        "majority": rules.win_seeds is not None,
        "end_when": END_WHEN.index("empty-first" if emptying else rules.end.when),
        "win_seeds": rules.win_seeds or NEVER,
        "leftover_opponent": rules.end.leftover == "opponent",
        "repeats": rules.end.repetition != "none",
        "repetition": 0 if rules.end.repetition == "none" else rules.end.repetition,
        "repetition_leave": rules.end.on_repetition == "leave",
        "max_plies": rules.end.max_plies,
        "sunog": sunog,
        "refill": rules.refill,
        "reopen": rules.match.reopen,
        "starter": STARTER.index(rules.match.starter),
        "max_rounds": rules.match.max_rounds,
    }
    rule = np.zeros(1, RULE)
    for name, number in numbers.items():
        rule[name] = number
    return Tables(
        rule=rule[0],
        start=tuple(packed(row, words) for row in rules.start),
        adds=adds,
        lands=lands,
        counts=np.array([n for n in rules.capture.counts if n < 256], U) * U(0x0101010101010101),
        filled=_filled_rows(rules, words),
        select=_select(),
    )


def _lap_shift(rules: Rules) -> int:
    """Return the bits of the most seeds that a pit can hold."""
    return rules.total.bit_length()


def _laps(rules: Rules, closings: int) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """Build `adds` and `lands` for every layout, cell and number of seeds lifted."""
    pits, words, stride = rules.board.pits, words_of(rules.board.pits), rules.total + 1
    shape = (closings, closings, 2 * OTHER_SIDE, 1 << _lap_shift(rules))
    adds = np.zeros((*shape, 2 * words), np.uint64)
    lands = np.zeros(shape, np.uint8)
    for mine in range(closings):
        for other in range(closings):
            ring = _ring(rules, mine, other)
            for origin in (c for c in ring if c % OTHER_SIDE < pits):
                i = ring.index(origin)
                path = ring[i + 1 :] + ring[: i + (not rules.sowing.skip_origin)]
                if not path:  # one open pit that skips itself: no lap can be sown, none is asked
                    continue
                one = np.zeros((len(path), 2 * words), np.uint64)
                for step, cell in enumerate(path):
                    one[step, word_of(cell, words)] = U(1) << U(8 * (cell % 8))
                seeds = np.arange(1, stride)
                dropped = one[(seeds - 1) % len(path)]
                adds[mine, other, origin, 1:stride] = np.cumsum(dropped, axis=0, dtype=np.uint64)
                lands[mine, other, origin, 1:stride] = np.array(path)[(seeds - 1) % len(path)]
    return adds.reshape(-1), lands.reshape(-1)


def _ring(rules: Rules, mine: int, other: int) -> list[int]:
    """Return the open cells in the mover's sowing order, `mine` and `other` pits closed."""
    own = open_pits(rules, mine) + [OWN_STORE] * rules.sowing.own_store
    opponent = open_pits(rules, other) + [OWN_STORE] * rules.sowing.opponent_store
    return own + [OTHER_SIDE + cell for cell in opponent]


def open_pits(rules: Rules, closed: int) -> list[int]:
    """Return the pits that stay open when so many of a row are closed: those that fill first."""
    pits = rules.board.pits
    if rules.match.fill_from == "near":
        return list(range(closed, pits))
    return list(range(pits - closed))


def word_of(cell: int, words: int) -> int:
    """Return the index of a cell's word in the board's words."""
    side, within = divmod(cell, OTHER_SIDE)
    return side * words + (within // 8 if words == WORDS_WIDE else 0)


def packed(row: list[int], words: int, store: int = 0) -> Any:
    """Return a row with its store as one `uint64`, or as a pair of them."""
    full = [*row, *[0] * (8 * words - 1 - len(row)), store]
    parts = [sum(n << 8 * i for i, n in enumerate(full[8 * w : 8 * w + 8])) for w in range(words)]
    return U(parts[0]) if words == WORDS_NARROW else tuple(map(U, parts))


def _filled_rows(rules: Rules, words: int) -> NDArray[np.uint64]:
    rows = []
    for k in range(rules.board.pits + 1):
        row = [0] * rules.board.pits
        for pit in open_pits(rules, rules.board.pits - k):
            row[pit] = rules.refill
        rows.append(packed(row, words))
    return np.array(rows, np.uint64).reshape(-1)


@lru_cache(maxsize=1)
def _select() -> NDArray[np.uint64]:
    masks = np.arange(4096, dtype=np.uint64)
    table = np.zeros(4096, np.uint64)
    found = np.zeros(4096, np.uint64)
    for bit in range(12):
        has = (masks >> U(bit)) & U(1)
        table |= has * (U(bit) << (found * U(4)))
        found += has
    return table | (found << U(60))
