"""Two players of one's own, as `mancalab run kalah --agent data/examples/my_player.py:careful`.

A player is a function that is given a position and returns one of its legal pits, or such a pit and
what it thinks the move to be worth, which `--log-search` logs. `position` has

- `pits`, `other_pits`: the seeds in the mover's pits and in the other player's, each in the order
  in which their owner sows, pit 0 farthest from the owner's store; `store`, `other_store`;
- `legal`: the pits that may be chosen; `closed`, `other_closed`: burnt pits;
- `ply`, `round`, `player`: the number of the move and of the round, from 1, and who moves (0 or 1);
- `rules`: all rule keys, such as `position.rules.board.pits`;
- `random`: a `random.Random` of this move's own: draw from it alone, and games can be repeated;
- `after(pit)`: the position after a move, as who is then to move sees it (`player` says who), and
  `over`, which says what has ended the round, or is `None`.
"""


def last_pit(position):
    """Choose the pit nearest to the store."""
    return position.legal[-1]


def careful(position):
    """Choose what gains most, less what the other player can then gain most in one move."""
    worth = {pit: _worth(position, pit) for pit in position.legal}
    best = max(worth.values())
    pit = position.random.choice([pit for pit in position.legal if worth[pit] == best])
    return pit, best


def _worth(position, pit):
    after = position.after(pit)
    if after.player == position.player:
        return after.store - position.store  # an extra turn, or the round is over
    replies = (_gain(after, reply) for reply in after.legal)
    return after.other_store - position.store - max(replies, default=0)


def _gain(position, pit):
    after = position.after(pit)
    mine = after.store if after.player == position.player else after.other_store
    return mine - position.store
