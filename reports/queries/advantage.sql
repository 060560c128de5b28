-- How large is the first player's advantage, in points and in seeds?
--
-- One row a cell with games. Intervals are of 95 % and take games as independent.
--
-- cell: id of the rules and the agents
-- variant: the rules' name
-- pits: pits a player
-- seeds: seeds in each pit at the start; null with an uneven layout
-- agent0: who plays first
-- agent1: who plays second
-- games: games played
-- distinct_games: different move lists among them
-- completion: share of games that a rule ended, not a bound (max-plies, max-laps, max-rounds)
-- draw_rate: share of games that neither won
-- first_player_share: the first player's share of the points, a win 1 and a draw ½
-- share_low: lower end of its interval
-- share_high: upper end
-- decided_share: the first player's share of the games that were won
-- decided_low: lower end of its interval
-- decided_high: upper end
-- margin_p5: first player's score minus the second's, in seeds, 5 % quantile
-- margin_median: median
-- margin_p95: 95 % quantile
WITH totals AS (
    SELECT
        cell,
        count(*) AS games,
        count(DISTINCT digest) AS distinct_games,
        count(*) FILTER (reason IN ('max-plies', 'max-laps', 'max-rounds')) AS bounded,
        count(*) FILTER (winner = 0) AS wins,
        count(*) FILTER (winner IS NULL) AS draws,
        count(*) FILTER (winner = 1) AS losses,
        quantile_disc(margin, [0.05, 0.5, 0.95]) AS margin_at
    FROM games
    GROUP BY cell
)

SELECT
    c.cell, c.variant, c.pits, c.seeds, c.agent0, c.agent1,
    t.games,
    t.distinct_games,
    1 - t.bounded / t.games AS completion,
    t.draws / t.games AS draw_rate,
    (t.wins + t.draws / 2) / t.games AS first_player_share,
    share_low(t.wins, t.draws, t.losses) AS share_low,
    share_high(t.wins, t.draws, t.losses) AS share_high,
    t.wins / nullif(t.wins + t.losses, 0) AS decided_share,
    share_low(t.wins, 0, t.losses) AS decided_low,
    share_high(t.wins, 0, t.losses) AS decided_high,
    t.margin_at[1] AS margin_p5,
    t.margin_at[2] AS margin_median,
    t.margin_at[3] AS margin_p95
FROM totals t
JOIN cells c USING (cell)
ORDER BY c.variant, c.pits, c.seeds, c.agent0, c.agent1, c.cell
