-- How long is a game, in moves, turns and laps?
--
-- Three rows a cell with games. Quantiles are exact: the least value that so many games do not
-- exceed.
--
-- cell: id of the rules and the agents
-- variant: the rules' name
-- pits: pits a player
-- seeds: seeds in each pit at the start; null with an uneven layout
-- agent0: who plays first
-- agent1: who plays second
-- length: what is counted: plies (moves), turns (moves but for those of an extra turn) or laps
-- mean: mean of all games
-- least: of the shortest game
-- p5: 5 % quantile
-- median: median
-- p95: 95 % quantile
-- most: of the longest game
WITH totals AS (
    SELECT
        cell,
        [avg(plies), avg(turns), avg(laps)] AS means,
        [min(plies), min(turns), min(laps)] AS leasts,
        [
            quantile_disc(plies, [0.05, 0.5, 0.95]),
            quantile_disc(turns, [0.05, 0.5, 0.95]),
            quantile_disc(laps, [0.05, 0.5, 0.95])
        ] AS quantiles,
        [max(plies), max(turns), max(laps)] AS mosts
    FROM games
    GROUP BY cell
)

SELECT
    c.cell, c.variant, c.pits, c.seeds, c.agent0, c.agent1,
    ['plies', 'turns', 'laps'][i] AS length,
    means[i] AS mean,
    leasts[i] AS least,
    quantiles[i][1] AS p5,
    quantiles[i][2] AS median,
    quantiles[i][3] AS p95,
    mosts[i] AS most
FROM totals
JOIN cells c USING (cell)
CROSS JOIN range(1, 4) AS lengths(i)
ORDER BY c.variant, c.pits, c.seeds, c.agent0, c.agent1, c.cell, i
