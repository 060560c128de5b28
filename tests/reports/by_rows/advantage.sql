-- As worked out from the rows of games and rounds, which the query of this name must equal.
-- How large is the first player's advantage, in points and in seeds?
--
-- One row a cell with games. Intervals are of 95 % and take games as independent.
--
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
