"""Trees of moves, one a game: what is known of each position that a search by playing out has met.

The trees of a sitting lie in one array of nodes, a part of equal size for each game. A node's
children lie side by side; node 0 of a part is the position of the last choice.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernel.choose import pick
from sim.kernel.jit import inlined, jit
from sim.kernel.rows import I0, U0, U1, Number, U, Word
from sim.kernel.vectors import highest
from sim.tables import Tables

NODE = np.dtype(
    [
        (
            "mean",
            np.float32,
        ),  # reward of the player who moved here; where it is proved, the sure one
        ("visits", np.int32),
        ("child", np.int32),  # the first one's place in the part, 0: not grown yet
        ("pit", np.uint8),  # the move that leads here
        ("children", np.uint8),
        ("proved", np.uint8),
        ("mover", np.uint8),  # who made that move
    ]
)
"""Four nodes lie in a line of the processor's cache: looking at a node's children costs most of
going down."""
PATH = 512  # plies that a tree is gone down at most


class Trees(NamedTuple):
    """The trees of n games."""

    nodes: Any  # (n * part,) of `NODE`
    used: NDArray[np.int64]  # (n,): nodes in use
    made: NDArray[np.int64]  # (n,): the game's plies at node 0; -1: there is no tree
    rounds: NDArray[np.int64]  # (n,): the rounds that were over then: a tree is one round's
    spare: Any  # (part,) of `NODE`: room to copy a tree


@inlined
def part_of(trees: Trees, g: Number) -> Number:
    """Return where a game's nodes begin."""
    start: Number = g * trees.spare.size
    return start


@inlined
def plant(trees: Trees, g: Number, made: Number) -> None:
    """Give a game a tree of one node."""
    root = trees.nodes[part_of(trees, g)]
    root.mean, root.visits, root.child = 0.0, 0, 0
    root.pit, root.children, root.proved, root.mover = 0, 0, 0, 0
    trees.used[g], trees.made[g] = 1, made


@jit
def replant(trees: Trees, g: Number, moves: Any, made: Number, rounds: Number) -> None:
    """Keep of a game's tree what follows the moves made since, or plant a new one."""
    part, node = part_of(trees, g), I0
    kept = trees.made[g] >= 0 and trees.rounds[g] == rounds
    trees.rounds[g] = rounds
    if kept:
        for ply in range(trees.made[g], made):
            node = _child_by(trees, part, node, moves[ply])
            if node == 0:
                break
    if not kept or (node == 0 and made > trees.made[g]):
        plant(trees, g, made)
        return
    trees.made[g] = made
    if node == 0:
        return
    # Copied generation by generation: a node's children are copied when its turn comes.
    trees.spare[0] = trees.nodes[part + node]
    used, at = I0 + 1, I0
    while at < used:
        old = trees.spare[at].child
        if old != 0:
            trees.spare[at].child = used
            for i in range(trees.spare[at].children):
                trees.spare[used + i] = trees.nodes[part + old + i]
            used += trees.spare[at].children
        at += 1
    for i in range(used):
        trees.nodes[part + i] = trees.spare[i]
    trees.used[g] = used


@inlined
def _child_by(trees: Trees, part: Number, node: Number, pit: Number) -> Number:
    """Return the child to which a pit leads, 0 where it has not grown."""
    parent = trees.nodes[part + node]
    child: Any = np.int64(parent.child)
    for i in range(parent.children):
        if trees.nodes[part + child + i].pit == pit:
            return child + i
    return I0


@inlined
def grow(trees: Trees, g: Number, node: Number, pits: Word, mover: Number) -> bool:
    """Give a node a child for each of some pits, if there is room; return whether there is."""
    part = part_of(trees, g)
    parent, first = trees.nodes[part + node], trees.used[g]
    n = I0
    for i in range(12):
        if (pits >> U(i)) & U1 != U0:
            if first + n == trees.spare.size:
                return False
            child = trees.nodes[part + first + n]
            child.mean, child.visits, child.child = 0.0, 0, 0
            child.pit, child.children, child.proved, child.mover = i, 0, 0, mover
            n += 1
    parent.child, parent.children = first, n
    trees.used[g] = first + n
    return True


@inlined
def prove(trees: Trees, part: Number, path: Any, length: Number) -> None:
    """Carry what is proved of the last node of a path up as far as it reaches.

    A player who can move to a sure win has won; where all moves are proved, the best one counts
    (Winands, Björnsson and Saito, Computers and Games 2008).
    """
    for i in range(length - 1, 0, -1):
        node, parent = trees.nodes[part + path[i]], trees.nodes[part + path[i - 1]]
        if not node.proved or parent.proved:
            break
        mover, best, all_proved = node.mover, -1.0, True
        for k in range(parent.children):
            child = trees.nodes[part + parent.child + k]
            if child.proved:
                best = max(best, child.mean)
            else:
                all_proved = False
        if best < 1.0 and not all_proved:
            break
        parent.proved = 1
        parent.mean = best if parent.mover == mover else 1.0 - best


@inlined
def logarithm(n: Number) -> Any:
    """Return the natural logarithm of a number from 1 on, within 0.0001.

    By operations that every processor rounds alike, which libraries' logarithms are not: a game
    must be the same on all machines.
    """
    power = highest(U(n))
    part = np.float32(n) / np.float32(U1 << power)  # 1 to 2
    z = (part - np.float32(1)) / (part + np.float32(1))
    square = z * z
    series = square * (
        np.float32(1 / 3) + square * (np.float32(1 / 5) + square * np.float32(1 / 7))
    )
    return np.float32(0.6931472) * np.float32(power) + np.float32(2) * z * (np.float32(1) + series)


@inlined
def next_child(t: Tables, trees: Trees, part: Number, node: Number, c: float, stream: Word) -> Any:
    """Return the child to go down to, and the stream's next state.

    Those that were never visited come first, drawn; then UCB1 decides. What is proved needs no
    exploring.
    """
    here = trees.nodes[part + node]
    first: Any = np.int64(here.child)
    spread, best, chosen, untried = np.float32(0.0), np.float32(-1.0), first, U0
    if here.visits > here.children:  # else there may be children that were never visited
        spread = np.float32(c * c) * logarithm(here.visits)
    for i in range(here.children):
        child = trees.nodes[part + first + i]
        score = child.mean
        if child.visits == 0:
            untried |= U1 << U(i)
        elif not child.proved:
            score += math.sqrt(spread / np.float32(child.visits))
        if score > best:
            best, chosen = score, first + i
    if untried != U0:
        number, stream = pick(t, untried, stream)
        chosen = first + np.int64(number)
    return chosen, stream


@inlined
def credit(
    trees: Trees, part: Number, path: Any, length: Number, player: Number, reward: float
) -> None:
    """Note in the nodes of a path what came of going down there: so much for a player."""
    trees.nodes[part].visits += 1
    for i in range(1, length):
        node = trees.nodes[part + path[i]]
        node.visits += 1
        gained = np.float32(reward if node.mover == player else 1.0 - reward)
        if not node.proved:
            node.mean += (gained - node.mean) / np.float32(node.visits)


@inlined
def best_children(trees: Trees, part: Number) -> Any:
    """Return the pits, as bits, that a tree says to play, and what they are worth, 0 to 1.

    That is the most visited child, unless one that is proved is worth as much.
    """
    root = trees.nodes[part]
    mask, most, worth, sure, sure_worth = U0, I0 - 1, 0.0, U0, -1.0
    for i in range(root.children):
        child = trees.nodes[part + root.child + i]
        bit = U1 << U(child.pit)
        if child.proved:
            if child.mean > sure_worth:
                sure, sure_worth = U0, np.float64(child.mean)
            if child.mean == sure_worth:
                sure |= bit
        elif child.visits > 0:
            if child.visits > most:
                mask, most, worth = U0, np.int64(child.visits), 0.0
            if child.visits == most:
                mask |= bit
                worth = max(worth, np.float64(child.mean))
    if mask == U0 or sure_worth >= worth:
        return sure, sure_worth
    return mask, worth
