"""The rule vocabulary: a variant as a frozen, validated value.

Every key is a field of one of the six groups below, with what is allowed and what it means
written beside it once: the error messages, `variants show` and the dataset's columns read it
from here.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from sim.errors import UserError, brief, did_you_mean, shown

MAX_PITS = 12
MAX_SEEDS = 20
MAX_TOTAL = 255  # a pit's or store's count fits a byte, on which the kernel relies
MAX_BOUND = 2**31 - 1  # laps and plies are logged in 32 bits
MAX_ROUNDS = 1_000_000  # rounds without a move repeat until then, and each is logged

_BOUND = f"an integer from 1 to {MAX_BOUND:,}"

Bound = Annotated[int, Field(ge=1, le=MAX_BOUND)]
Value = bool | int | str | list[int] | list[list[int]] | None


def key(allowed: str, meaning: str, **default: Any) -> Any:
    """Declare a rule key: what is allowed, and what it means."""
    return Field(description=meaning, json_schema_extra={"allowed": allowed}, **default)


class Group(BaseModel):
    """A table of rule keys. Values are checked strictly: `true` is no number, `"7"` is none."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Board(Group):
    """The pits, and the seeds in them at the start."""

    pits: int = key(f"an integer from 1 to {MAX_PITS}", "pits a player", ge=1, le=MAX_PITS)
    seeds: int | None = key(
        f"an integer from 1 to {MAX_SEEDS}", "seeds in each pit at the start",
        default=None, ge=1, le=MAX_SEEDS,
    )  # fmt: skip
    layout: list[list[Annotated[int, Field(ge=0, le=MAX_TOTAL)]]] | None = key(
        "two lists of board.pits numbers from 0, such as [[1, 2], [2, 1]], in place of board.seeds",
        "an uneven start: player 0's row, then player 1's, each along its owner's sowing direction",
        default=None,
    )
    direction: Literal["ccw", "cw"] = key(
        "'ccw' or 'cw'", "how the board is drawn and how a source numbers it", default="ccw"
    )


class Sowing(Group):
    """Where seeds are dropped, and whether a move goes on."""

    own_store: bool = key("true or false", "sowing drops into the mover's store", default=True)
    opponent_store: bool = key(
        "true or false", "sowing drops into the opponent's store", default=False
    )
    skip_origin: bool = key(
        "true or false", "a lap never drops into the pit that it was lifted from", default=False
    )
    relay: Literal["none", "occupied"] = key(
        "'none' or 'occupied'",
        "a last seed in an occupied pit, on either side, is lifted with the rest and sown on",
        default="none",
    )
    max_laps: Bound = key(
        _BOUND,
        "the bound of a move's laps where relays do not pass the mover's own store",
        default=1000,
    )
    extra_turn: bool = key(
        "true or false", "a last seed in a store that is sown into: move again", default=True
    )


class Capture(Group):
    """What the last seed of a move captures."""

    kind: Literal["none", "opposite", "count"] = key(
        "'none', 'opposite' or 'count'", "what the last seed captures", default="none"
    )
    needs_opposite: bool = key(
        "true or false", "no capture when the facing pit is empty", default=True
    )
    takes_own_seed: bool = key("true or false", "the capturing seed goes along", default=True)
    counts: list[Annotated[int, Field(ge=1, le=MAX_TOTAL)]] = key(
        f"a list of sizes from 1 to {MAX_TOTAL}, such as [3]", "the sizes that are captured",
        default=[2, 3], min_length=1,
    )  # fmt: skip
    grand_slam: Literal["allowed", "forbidden", "no-capture", "leave-first", "leave-last"] = key(
        "'allowed', 'forbidden', 'no-capture', 'leave-first' or 'leave-last'",
        "a capture that would take every seed of the opponent's row",
        default="allowed",
    )


class Play(Group):
    """Which moves are legal."""

    must_feed: Literal["no", "when-empty", "always", "unless-only"] = key(
        "'no', 'when-empty', 'always' or 'unless-only'",
        "which moves that leave the opponent's row empty are illegal",
        default="no",
    )


class End(Group):
    """What ends a round, who takes what is left, and who wins."""

    when: Literal["side-empty", "board-empty", "no-move"] = key(
        "'side-empty', 'board-empty' or 'no-move'", "what ends a round", default="side-empty"
    )
    win_seeds: Bound | Literal["majority", "none"] = key(
        f"{_BOUND}, 'majority' or 'none'",
        "a store that holds so many after a move ends the round",
        default="none",
    )
    leftover: Literal["owner", "opponent"] = key(
        "'owner' or 'opponent'", "who takes the seeds still in a row at the end", default="owner"
    )
    repetition: Annotated[int, Field(ge=2, le=MAX_BOUND)] | Literal["none"] = key(
        f"an integer from 2 to {MAX_BOUND:,}, or 'none'",
        "which occurrence of one position ends the round",
        default="none",
    )
    on_repetition: Literal["owner", "leave"] = key(
        "'owner' or 'leave'",
        "after a repetition each player takes the own row, or nobody collects",
        default="owner",
    )
    max_plies: Bound = key(_BOUND, "a bound for a round", default=10_000)
    goal: Literal["most-seeds", "empty-first"] = key(
        "'most-seeds' or 'empty-first'", "who wins", default="most-seeds"
    )


class Match(Group):
    """Whether a game is one round or a match of rounds, and how those follow each other."""

    kind: Literal["single", "sunog"] = key(
        "'single' or 'sunog'", "one round, or rounds with burnt pits", default="single"
    )
    refill: Annotated[int, Field(ge=1, le=MAX_TOTAL)] | None = key(
        f"an integer from 1 to {MAX_TOTAL}",
        "seeds that fill a pit for the next round (board.seeds when not given)",
        default=None,
    )
    fill_from: Literal["near", "far"] = key(
        "'near' or 'far'", "pits are filled from the store outward, or towards it", default="near"
    )
    reopen: bool = key(
        "true or false", "a burnt pit opens again once its owner can fill it", default=True
    )
    starter: Literal["unburnt", "loser", "winner", "last-mover", "alternate"] = key(
        "'unburnt', 'loser', 'winner', 'last-mover' or 'alternate'",
        "who begins the next round",
        default="unburnt",
    )
    max_rounds: int = key(
        f"an integer from 1 to {MAX_ROUNDS:,}",
        "a bound for a match",
        default=100,
        ge=1,
        le=MAX_ROUNDS,
    )


_MATCH_ONLY = [f"match.{field}" for field in Match.model_fields if field != "kind"]
"""The keys that count in matches only."""


class Rules(Group):
    """One game, whole. Build it with `Rules.of`, which gives errors a user can read."""

    board: Board
    sowing: Sowing = Sowing()
    capture: Capture = Capture()
    play: Play = Play()
    end: End = End()
    match: Match = Match()

    @classmethod
    def of(cls, keys: Mapping[str, Value], where: str = "rules") -> Self:
        """Build rules from dotted keys.

        Raises `UserError` naming `where`, the key and what is allowed.

        >>> Rules.of({"board.pits": 6, "board.seeds": 4}).total
        48
        """
        nested: dict[str, dict[str, Value]] = {group: {} for group in cls.model_fields}
        for name, value in keys.items():
            if name not in KEYS:
                raise UserError(
                    f"{where}: there is no rule key '{brief(name)}'{did_you_mean(name, KEYS)};"
                    " `mancalab variants keys` lists them"
                )
            group, field = name.split(".")
            nested[group][field] = value
        try:
            rules = cls.model_validate(nested)
        except ValidationError as error:
            raise UserError(f"{where}: {_explain(error, keys)}") from None
        if problem := impossible(rules):
            raise UserError(f"{where}: {problem}")
        return rules

    def with_keys(self, keys: Mapping[str, Value], where: str = "rules") -> Self:
        """Return these rules with some keys replaced; layout and seeds replace each other."""
        mine = {name: value for name, value in self.flat().items() if value is not None}
        if "board.layout" in keys and "board.seeds" not in keys:
            mine.pop("board.seeds", None)
        if "board.seeds" in keys and "board.layout" not in keys:
            mine.pop("board.layout", None)
        return self.of({**mine, **keys}, where)

    def flat(self) -> dict[str, Value]:
        """Return every key, dotted, with its value; `None` where it is not given."""
        return {name: getattr(getattr(self, group), field) for name, group, field in _names()}

    @property
    def start(self) -> list[list[int]]:
        """The two rows at the start of a round with all pits open, shape (2, pits)."""
        if self.board.layout is not None:
            return [list(row) for row in self.board.layout]
        return [[self.board.seeds or 0] * self.board.pits for _ in range(2)]

    @property
    def total(self) -> int:
        """Seeds on the board."""
        return sum(map(sum, self.start))

    @property
    def win_seeds(self) -> int | None:
        """How many seeds in a store end a round, `majority` worked out."""
        if self.end.win_seeds == "majority":
            return self.total // 2 + 1
        return None if self.end.win_seeds == "none" else self.end.win_seeds

    @property
    def refill(self) -> int:
        """Seeds that fill a pit for the next round of a match."""
        return self.match.refill or self.board.seeds or 0

    @property
    def bounded_laps(self) -> bool:
        """Whether relays can circle without passing the mover's store, so that laps are bounded."""
        return self.sowing.relay == "occupied" and not self.sowing.own_store

    @property
    def plain_round(self) -> bool:
        """Whether a game is one round at the most, which player 0 begins with every pit open."""
        return self.match.kind == "single" and self.board.layout is None

    def meaning(self) -> dict[str, Value]:
        """Return what is played: `flat()` without what does not count, and worked out.

        Two rules with one meaning are one cell.
        """
        keys = self.flat()
        rows = self.start
        if self.board.seeds is None and len({n for row in rows for n in row}) == 1:
            keys |= {"board.seeds": rows[0][0], "board.layout": None}
        keys |= {"end.win_seeds": self.win_seeds, "match.refill": self.refill}
        keys["capture.counts"] = sorted(set(self.capture.counts))
        for name in self._idle():
            del keys[name]
        return keys

    def _idle(self) -> Iterator[str]:
        """Yield the keys that do not count, given the others."""
        yield "board.direction"
        if self.capture.kind != "opposite":
            yield from ("capture.needs_opposite", "capture.takes_own_seed")
        if self.capture.kind != "count":
            yield from ("capture.counts", "capture.grand_slam")
        if not self.bounded_laps:
            yield "sowing.max_laps"
        if not (self.sowing.own_store or self.sowing.opponent_store):
            yield "sowing.extra_turn"
        emptying = self.end.goal == "empty-first"
        if self.end.repetition == "none" or emptying:
            yield "end.on_repetition"
        if emptying:
            yield from ("end.when", "end.leftover")
        if self.match.kind == "single":
            yield from _MATCH_ONLY

    @cached_property
    def id(self) -> str:
        """The strong id of what is played, 32 hex digits; the name and the drawing do not count."""
        text = json.dumps(self.meaning(), sort_keys=True, separators=(",", ":"))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def __hash__(self) -> int:
        return hash(self.id)


@cache
def _names() -> list[tuple[str, str, str]]:
    """Return every key with its group and field, in the order of the vocabulary."""
    return [
        (f"{group}.{field}", group, field)
        for group, info in Rules.model_fields.items()
        if info.annotation is not None
        for field in info.annotation.model_fields
    ]


def _fields() -> dict[str, FieldInfo]:
    return {
        name: Rules.model_fields[group].annotation.model_fields[field]  # type: ignore[union-attr]
        for name, group, field in _names()
    }


KEYS: dict[str, FieldInfo] = _fields()
"""Every rule key, dotted, in the order of the vocabulary, with its default and description."""


def allowed(name: str) -> str:
    """Return what a key allows, in words."""
    extra = KEYS[name].json_schema_extra
    assert isinstance(extra, dict)
    return str(extra["allowed"])


def _explain(error: ValidationError, keys: Mapping[str, Value]) -> str:
    where = error.errors()[0]["loc"]
    name = ".".join(str(part) for part in where[:2])
    if name not in keys:
        return f"{name} is missing: give {allowed(name)}"
    return f"{name} = {shown(keys[name])} is not allowed: give {allowed(name)}"


def impossible(rules: Rules) -> str | None:
    """Say why these rules contradict each other, or return None."""
    board, sowing, end = rules.board, rules.sowing, rules.end
    sunog, emptying = rules.match.kind == "sunog", end.goal == "empty-first"
    if board.seeds is None and board.layout is None:
        return f"board.seeds is missing: give {allowed('board.seeds')} (or board.layout)"
    if board.seeds is not None and board.layout is not None:
        return "board.seeds and board.layout are both given: leave one out"
    if board.layout is not None and [len(row) for row in board.layout] != [board.pits] * 2:
        return f"board.layout must be {allowed('board.layout')} (board.pits = {board.pits})"
    if not 1 <= rules.total <= MAX_TOTAL:
        return (
            f"the board holds {rules.total} seeds: it must hold 1 to {MAX_TOTAL};"
            " change board.pits, board.seeds or board.layout"
        )
    refusals = {
        "sowing.relay = 'occupied' with capture.kind = 'count' (the relay would lift what is to be"
        " captured)": sowing.relay == "occupied" and rules.capture.kind == "count",
        "sowing.own_store = false with sowing.opponent_store = true": sowing.opponent_store
        and not sowing.own_store,
        "end.goal = 'empty-first' with end.win_seeds": emptying and end.win_seeds != "none",
        "end.goal = 'empty-first' with play.must_feed": emptying and rules.play.must_feed != "no",
        "match.kind = 'sunog' with end.win_seeds (seeds would be left uncollected)": sunog
        and end.win_seeds != "none",
        "match.kind = 'sunog' with end.on_repetition = 'leave' (seeds would be left uncollected)":
        sunog and end.repetition != "none" and end.on_repetition == "leave",
        "match.kind = 'sunog' with end.goal = 'empty-first' (seeds would be left uncollected)":
        sunog and emptying,
    }  # fmt: skip
    for what, refused in refusals.items():
        if refused:
            return f"{what} is no game: change one of the two"
    if sunog and rules.match.refill is None and board.layout is not None:
        return "match.refill is missing: with board.layout, match.kind = 'sunog' needs it"
    return None
