"""One move: its laps and its capture; and which moves are legal."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from sim.referee.position import Position
from sim.rules import Rules

Cell = tuple[int, int]
"""An owner and a pit; the pit after an owner's last, number `board.pits`, is the store."""


@dataclass(frozen=True)
class Sown:
    """What a move did, before anyone asks whether it ends the round.

    `position` has the player to move that the move itself leaves: the same one after a last
    seed in a store, else the other. `slam`: the capture would have taken (and, where slams are
    allowed, has taken) every seed of the opponent's row. `max_laps`: the relay was cut off.
    `reached`: the cells that seeds fell into, all laps together, and `last` that of the last one;
    `taken`: the pits whose seeds were captured.
    """

    position: Position
    lifted: int
    laps: int
    captured: int
    gained: int
    in_store: bool
    slam: bool
    max_laps: bool
    reached: frozenset[Cell]
    last: Cell
    taken: tuple[Cell, ...]


class Board:
    """The seeds while a move is under way."""

    def __init__(self, rules: Rules, position: Position) -> None:
        self.size = rules.board.pits
        self.cells = [
            [*row, store] for row, store in zip(position.pits, position.stores, strict=True)
        ]
        self.reached: set[Cell] = set()  # by sowing

    def __getitem__(self, cell: Cell) -> int:
        """Return the seeds in a cell."""
        owner, pit = cell
        return self.cells[owner][pit]

    def drop(self, cell: Cell, seeds: int = 1) -> None:
        """Put seeds into a cell."""
        owner, pit = cell
        self.cells[owner][pit] += seeds

    def lift(self, cell: Cell) -> int:
        """Take all seeds out of a cell and return how many they were."""
        owner, pit = cell
        seeds, self.cells[owner][pit] = self.cells[owner][pit], 0
        return seeds

    def row(self, owner: int) -> list[int]:
        """Return the seeds in an owner's pits."""
        return self.cells[owner][: self.size]

    def stores(self) -> tuple[int, int]:
        """Return the seeds in the two stores."""
        return self[0, self.size], self[1, self.size]

    def is_store(self, cell: Cell) -> bool:
        """Whether a cell is a store."""
        return cell[1] == self.size

    def facing(self, cell: Cell) -> Cell:
        """Return the pit of the other row that a pit faces."""
        owner, pit = cell
        return 1 - owner, self.size - 1 - pit


@lru_cache(maxsize=256)  # a move is asked for thrice: is it legal, has the other one any, play it
def sow(rules: Rules, position: Position, pit: int) -> Sown:
    """Play one pit of the player to move: all its laps, then the capture.

    The pit must hold seeds; whether it may be chosen is `legal`'s business.
    """
    mover, board = position.to_move, Board(rules, position)
    ring = _ring(rules, position)
    last, laps, cut_off = _lap(rules, board, ring, (mover, pit)), 1, False
    while _relays(rules, board, last):
        if rules.bounded_laps and laps == rules.sowing.max_laps:
            cut_off = True
            break
        last, laps = _lap(rules, board, ring, last), laps + 1

    chain = [] if cut_off else _captured_pits(rules, board, mover, last)
    slam = rules.capture.kind == "count" and _takes_row(board, 1 - mover, chain)
    if slam:
        chain = _after_slam(rules, chain)
    captured = sum(board.lift(cell) for cell in chain)
    board.drop((mover, board.size), captured)

    in_store = board.is_store(last) and rules.sowing.extra_turn
    stores = board.stores()
    return Sown(
        position=Position.of(
            [board.row(0), board.row(1)], stores, mover if in_store else 1 - mover, position.closed
        ),
        lifted=position.pits[mover][pit],
        laps=laps,
        captured=captured,
        gained=stores[mover] - position.stores[mover],
        in_store=in_store,
        slam=slam,
        max_laps=cut_off,
        reached=frozenset(board.reached),
        last=last,
        taken=tuple(chain),
    )


def legal(rules: Rules, position: Position) -> list[int]:
    """Return the pits that the player to move may choose, ascending; closed pits hold nothing."""
    mover, opponent = position.to_move, 1 - position.to_move
    playable = [pit for pit, seeds in enumerate(position.pits[mover]) if seeds]

    if rules.capture.kind == "count" and rules.capture.grand_slam == "forbidden":
        playable = [pit for pit in playable if not sow(rules, position, pit).slam]

    # Whether the opponent's row is fed is judged after captures.
    def feeds(pit: int) -> bool:
        return not sow(rules, position, pit).position.row_empty(opponent)

    match rules.play.must_feed:
        case "when-empty" if position.row_empty(opponent):
            return list(filter(feeds, playable))
        case "always":
            return list(filter(feeds, playable))
        case "unless-only":
            # A forbidden slam is no longer among the playable: it stays illegal.
            return list(filter(feeds, playable)) or playable
        case _:
            return playable


def _ring(rules: Rules, position: Position) -> list[Cell]:
    """The cells that the mover sows into, in order: closed pits and unsown stores left out."""
    store = rules.board.pits
    sown = {
        position.to_move: rules.sowing.own_store,
        1 - position.to_move: rules.sowing.opponent_store,
    }
    ring: list[Cell] = []
    for owner, store_too in sown.items():
        ring += [(owner, pit) for pit in range(store) if pit not in position.closed[owner]]
        ring += [(owner, store)] if store_too else []
    return ring


def _lap(rules: Rules, board: Board, ring: list[Cell], origin: Cell) -> Cell:
    """Lift a pit and drop its seeds one a cell; return the cell of the last one."""
    hand = board.lift(origin)
    at, cell = ring.index(origin), origin
    while hand:
        at = (at + 1) % len(ring)
        cell = ring[at]
        if cell == origin and rules.sowing.skip_origin:
            continue
        board.drop(cell)
        board.reached.add(cell)
        hand -= 1
    return cell


def _relays(rules: Rules, board: Board, last: Cell) -> bool:
    """Whether the last seed lies in an occupied pit, on either side, and so is sown on."""
    return rules.sowing.relay == "occupied" and not board.is_store(last) and board[last] > 1


def _captured_pits(rules: Rules, board: Board, mover: int, last: Cell) -> list[Cell]:
    """The pits whose seeds a last seed captures, grand slams not yet judged."""
    owner, pit = last
    if board.is_store(last):
        return []
    if rules.capture.kind == "opposite" and owner == mover and board[last] == 1:
        facing = board.facing(last)
        if rules.capture.needs_opposite and not board[facing]:
            return []
        return [facing, last] if rules.capture.takes_own_seed else [facing]
    if rules.capture.kind == "count" and owner != mover:
        # From the last seed back towards the owner's pit 0. A closed pit holds nothing, so it
        # never holds a listed size and is a gap.
        back = ((owner, number) for number in range(pit, -1, -1))
        return list(takewhile(lambda cell: board[cell] in rules.capture.counts, back))
    return []


def _takes_row(board: Board, owner: int, chain: list[Cell]) -> bool:
    return bool(chain) and sum(board[cell] for cell in chain) == sum(board.row(owner))


def _after_slam(rules: Rules, chain: list[Cell]) -> list[Cell]:
    """What is left of a capture that would take the whole row; the chain begins at the last seed.

    A forbidden slam is never played; it captures here as an allowed one.
    """
    match rules.capture.grand_slam:
        case "no-capture":
            return []
        case "leave-first":
            return chain[:-1]
        case "leave-last":
            return chain[1:]
        case _:
            return chain
