"""The numbers under which compiled code knows the vocabulary's words: places in these tuples.

They lie in this package because compiled code holds them as constants (see `jit.py`).
"""

REASONS = (
    "win-seeds", "side-empty", "board-empty", "no-move", "repetition", "max-plies", "max-laps",
    "burnt-out", "max-rounds",
)  # fmt: skip
"""Why a round or a game ended."""

WIN_SEEDS = REASONS.index("win-seeds")
SIDE_EMPTY = REASONS.index("side-empty")
BOARD_EMPTY = REASONS.index("board-empty")
NO_MOVE = REASONS.index("no-move")
REPETITION = REASONS.index("repetition")
MAX_PLIES = REASONS.index("max-plies")
MAX_LAPS = REASONS.index("max-laps")
BURNT_OUT = REASONS.index("burnt-out")
MAX_ROUNDS = REASONS.index("max-rounds")
GOING_ON = -1  # no reason yet
OVERFLOW = -2  # a buffer is full: the game is dropped, to be played again into an empty one
STRAYED = -3  # a replayed move is not legal
DRAW = -1  # no winner

CAPTURE = ("none", "opposite", "count")
OPPOSITE, COUNT = CAPTURE.index("opposite"), CAPTURE.index("count")

GRAND_SLAM = ("allowed", "forbidden", "no-capture", "leave-first", "leave-last")
ALLOWED, FORBIDDEN = GRAND_SLAM.index("allowed"), GRAND_SLAM.index("forbidden")
NO_CAPTURE, LEAVE_FIRST = GRAND_SLAM.index("no-capture"), GRAND_SLAM.index("leave-first")

MUST_FEED = ("no", "when-empty", "always", "unless-only")
WHEN_EMPTY, ALWAYS = MUST_FEED.index("when-empty"), MUST_FEED.index("always")
UNLESS_ONLY = MUST_FEED.index("unless-only")

END_WHEN = ("side-empty", "board-empty", "no-move", "empty-first")
"""`end.when`, and the goal that stands in its place."""
WHEN_SIDE, WHEN_BOARD = END_WHEN.index("side-empty"), END_WHEN.index("board-empty")
WHEN_NO_MOVE, EMPTY_FIRST = END_WHEN.index("no-move"), END_WHEN.index("empty-first")

STARTER = ("unburnt", "loser", "winner", "last-mover", "alternate")
UNBURNT, LOSER = STARTER.index("unburnt"), STARTER.index("loser")
WINNER, LAST_MOVER = STARTER.index("winner"), STARTER.index("last-mover")

FILLER = 15  # below the last move of an odd number of packed ones
