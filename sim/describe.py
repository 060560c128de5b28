"""A variant's rules in plain sentences, to be checked against a rule book, and as TOML.

Every key that counts for a variant shows in a sentence; keys that do not count are silent.
"""

import json
from collections.abc import Iterable, Iterator

from sim.rules import KEYS, Rules, Value

OWN_ROWS = "each player takes the own row"
SLAM = "would take every seed of the opponent's row"


def describe(rules: Rules) -> dict[str, list[str]]:
    """Return the rules as sentences under headings, in the order in which they apply.

    >>> from sim.presets import load_variant
    >>> describe(load_variant("easy").rules)["Captures"]
    ['Nothing is captured.']
    """
    return {
        "Board": list(_board(rules)),
        "Sowing": list(_sowing(rules)),
        "Captures": list(_captures(rules)),
        "Legal moves": list(_legal_moves(rules)),
        "End of a round": list(_ends(rules)),
        "Winner": list(_winner(rules)),
        "Match": list(_match(rules)),
    }


def toml(rules: Rules) -> str:
    """Return the keys that count, and the drawing, as the TOML of a variant file.

    >>> from sim.presets import load_variant, parse_variant
    >>> owari = load_variant("owari").rules
    >>> parse_variant(toml(owari), "copy", "copy").rules.id == owari.id
    True
    """
    counting = rules.meaning()
    tables: dict[str, list[str]] = {}
    for name, value in _given(rules).items():
        group, field = name.split(".")
        # Who would begin the rounds of a match, say, is part of a variant played in single ones.
        for_matches = group == "match" and value != KEYS[name].default
        if name in counting or name == "board.direction" or for_matches:
            # Of these types (no dates, no tables) JSON is TOML.
            tables.setdefault(group, []).append(f"{field} = {json.dumps(value)}")
    return "\n\n".join("\n".join([f"[{group}]", *lines]) for group, lines in tables.items()) + "\n"


def _given(rules: Rules) -> dict[str, Value]:
    return {name: value for name, value in rules.flat().items() if value is not None}


def _board(rules: Rules) -> Iterator[str]:
    pits, rows = rules.board.pits, rules.start
    total = f"{rules.total} in all"
    yield f"Each of the two players has a row of {_count(pits, 'pit')} and a store."
    if len({seeds for row in rows for seeds in row}) == 1:
        yield f"Every pit starts with {_seeds(rows[0][0])}, {total}."
    else:
        south, north = (", ".join(map(str, row)) for row in rows)
        yield (
            f"From pit 0 to the pit beside the store, player 0's pits start with {south}"
            f" and player 1's with {north} seeds, {total}."
        )
    if rules.board.direction == "ccw":
        yield "Sowing runs counter-clockwise; each player's store lies at the own right."
    else:
        yield "Sowing runs clockwise; each player's store lies at the own left."
    yield "Player 0 begins."


def _sowing(rules: Rules) -> Iterator[str]:
    sowing = rules.sowing
    yield "A move lifts all seeds of one own pit and drops them one by one into what follows."
    around = "the opponent's pits from pit 0 on"
    if sowing.opponent_store:
        yield (
            f"These are the mover's later pits, the mover's store, {around} and the opponent's"
            " store, then the mover's pits again."
        )
    elif sowing.own_store:
        yield (
            f"These are the mover's later pits, the mover's store and {around}, then the mover's"
            " pits again; the opponent's store is skipped."
        )
    else:
        yield (
            f"These are the mover's later pits and {around}, then the mover's pits again; no"
            " store is sown into."
        )
    if sowing.skip_origin:
        yield "A lap that comes round skips the pit that it was lifted from."
    else:
        yield "A lap that comes round drops a seed into the pit that it was lifted from, too."
    if sowing.relay == "occupied":
        yield (
            "If the last seed falls into an occupied pit, on either side, all seeds of that pit"
            " are lifted and sown on in another lap."
        )
    else:
        yield "A move is a single lap: it is over with its last seed."
    if rules.bounded_laps:
        yield (
            f"A move that has sown {_count(sowing.max_laps, 'lap')} and would start another ends"
            f" the round at once, without a capture: {_at_a_bound(rules)}."
        )
    if sowing.own_store:
        stores = "either store" if sowing.opponent_store else "the own store"
        again = (
            "the same player moves again" if sowing.extra_turn else "the turn is over all the same"
        )
        yield f"If the last seed falls into {stores}, {again}."
    else:
        yield "The players move in turn."


def _captures(rules: Rules) -> Iterator[str]:
    capture = rules.capture
    if capture.kind == "none":
        yield "Nothing is captured."
        return
    if capture.kind == "opposite":
        what = "it and all seeds" if capture.takes_own_seed else "all seeds"
        yield (
            f"If the last seed falls into an empty pit of the mover's own row, {what} of the"
            " facing pit go to the mover's store."
        )
        if not capture.takes_own_seed:
            yield "The capturing seed stays where it fell."
        elif capture.needs_opposite:
            yield "If the facing pit is empty, nothing is captured."
        else:
            yield "If the facing pit is empty, the capturing seed goes to the store alone."
        return
    sizes = _alternatives(sorted(set(capture.counts)))
    yield (
        f"If the last seed falls into a pit of the opponent's row that then holds {sizes}, the"
        " seeds of that pit go to the mover's store."
    )
    gap = ", and is not burnt" if rules.match.kind == "sunog" else ""
    yield (
        "So do those of each pit before it, towards the opponent's pit 0, as long as it lies in"
        f" that row and holds {sizes}{gap}."
    )
    spared = "is not taken; a capture of one pit then takes nothing"
    yield {
        "allowed": "A capture may take every seed of the opponent's row.",
        "forbidden": f"A move whose capture {SLAM} is illegal.",
        "no-capture": f"A move whose capture {SLAM} is legal but captures nothing.",
        "leave-first": f"Of a capture that {SLAM}, the pit nearest the opponent's pit 0 {spared}.",
        "leave-last": f"Of a capture that {SLAM}, the pit of the last seed {spared}.",
    }[capture.grand_slam]


def _legal_moves(rules: Rules) -> Iterator[str]:
    forbidden = _slams_forbidden(rules)
    exception = ", but for a capture of the whole row as said above" if forbidden else ""
    yield f"A player may choose any own pit that holds seeds{exception}."
    starving = "A move after which, captures done, the opponent's row is empty is illegal"
    match rules.play.must_feed:
        case "when-empty":
            yield (
                "If the opponent's row is empty, only moves after which, captures done, it holds"
                " a seed are legal."
            )
        case "always":
            yield f"{starving}."
        case "unless-only":
            only = "; a forbidden capture stays illegal" if forbidden else ""
            yield f"{starving}, unless no other move is left{only}."


def _ends(rules: Rules) -> Iterator[str]:
    """The ends, in the order in which they are judged."""
    end = rules.end
    yield "After every move, the first of these that holds ends the round."
    if rules.win_seeds is not None:
        half = ", a majority" if end.win_seeds == "majority" else ""
        yield (
            f"A store holds {_seeds(rules.win_seeds)} or more{half}; what lies in the rows is not"
            " collected."
        )
    emptying = end.goal == "empty-first"
    when = "side-empty" if emptying else end.when
    yield {
        "side-empty": "Either row is empty.",
        "board-empty": "Both rows are empty; a player whose row alone is empty passes, extra"
        " turns too, until seeds are sown there.",
        "no-move": "The player to move has no legal move, whether or not there are seeds in the"
        " own row.",
    }[when]
    stuck = rules.play.must_feed != "no" or _slams_forbidden(rules)
    if stuck and when != "no-move":
        yield "The player to move has seeds but no legal move."
    if end.repetition != "none":
        left = "nobody collects" if end.on_repetition == "leave" else OWN_ROWS
        yield (
            f"A position (both rows and the player to move) comes up for the"
            f" {_ordinal(end.repetition)} time since the round began or a seed last came into a"
            f" store: {'the round is drawn' if emptying else left}."
        )
    yield f"The round has had {_count(end.max_plies, 'move')}: {_at_a_bound(rules)}."
    if not emptying and (stuck or when != "board-empty"):
        by_rows = "If it ends by an empty row or for want of a legal move, what is left in"
        yield {
            "owner": f"{by_rows} the rows goes to their owners.",
            "opponent": f"{by_rows} a row goes to the other player, not to its owner; but where"
            f" both rows hold seeds, {OWN_ROWS}.",
        }[end.leftover]


def _winner(rules: Rules) -> Iterator[str]:
    if rules.end.goal == "empty-first":
        yield "The player whose row is empty first wins, whatever the stores hold."
        yield "Nothing is collected. Both rows empty, or any other end, is a draw."
    else:
        what = "round" if rules.match.kind == "sunog" else "game"
        yield f"The larger store wins the {what}; equal stores are a draw."


def _match(rules: Rules) -> Iterator[str]:
    match, refill = rules.match, _seeds(rules.refill)
    if match.kind == "single":
        yield "A game is one round."
        return
    yield "A game is a match of rounds. After a round each player owns the seeds in the own store."
    order = {
        "near": "from the pit beside the store outward",
        "far": "from the pit farthest from the store towards it",
    }[match.fill_from]
    yield (
        f"For the next round each player fills the own pits from it with {refill} each, {order};"
        " what is left over stays in the store and counts."
    )
    yield (
        "A pit that cannot be filled completely is burnt and closed for that round: it holds"
        " nothing, sowing skips it, it cannot be chosen, and captures find it empty."
    )
    if match.reopen:
        yield "A burnt pit opens again in any later round for which its owner can fill it."
    else:
        yield "A burnt pit stays closed for the rest of the match."
    tie = "after a tie, the one who did not begin the round before"
    yield {
        "unburnt": f"The player with fewer burnt pits begins the next round; {tie}.",
        "loser": f"The player with fewer seeds begins the next round; {tie}.",
        "winner": f"The player with more seeds begins the next round; {tie}.",
        "last-mover": "Whoever made the last move of a round begins the next one.",
        "alternate": "The players begin the rounds in turn.",
    }[match.starter]
    yield (
        "The match ends when either player cannot fill even one pit, or after"
        f" {_count(match.max_rounds, 'round')}."
    )
    yield (
        "It is won by the player who could still fill a pit; if both or neither could, by the"
        " larger store; equal stores are a draw."
    )


def _slams_forbidden(rules: Rules) -> bool:
    return rules.capture.kind == "count" and rules.capture.grand_slam == "forbidden"


def _at_a_bound(rules: Rules) -> str:
    return "the round is drawn" if rules.end.goal == "empty-first" else OWN_ROWS


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _seeds(number: int) -> str:
    return _count(number, "seed")


def _ordinal(number: int) -> str:
    teen = number % 100 in (11, 12, 13)
    ending = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _alternatives(sizes: Iterable[int]) -> str:
    *most, last = map(str, sizes)
    return f"{', '.join(most)} or {last}" if most else last
