-- How do games end, and does it matter to the first player?
--
-- One row a cell and reason, the most frequent first.
--
-- cell: id of the rules and the agents
-- variant: the rules' name
-- pits: pits a player
-- seeds: seeds in each pit at the start; null with an uneven layout
-- agent0: who plays first
-- agent1: who plays second
-- reason: what ended the game; max-plies, max-laps and max-rounds are bounds
-- games: games that ended so
-- share_of_games: their share of the cell's games
-- plies_mean: moves in such a game, mean
-- first_player_share: the first player's share of the points in them, a win 1 and a draw ½
WITH ends AS (
    SELECT cell, reason, count(*) AS games, avg(plies) AS plies_mean, avg(points0) AS share
    FROM games
    GROUP BY cell, reason
)

SELECT
    c.cell, c.variant, c.pits, c.seeds, c.agent0, c.agent1,
    e.reason,
    e.games,
    e.games / sum(e.games) OVER (PARTITION BY c.cell) AS share_of_games,
    e.plies_mean,
    e.share AS first_player_share
FROM ends e
JOIN cells c USING (cell)
ORDER BY c.variant, c.pits, c.seeds, c.agent0, c.agent1, c.cell, e.games DESC, e.reason
