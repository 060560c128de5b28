-- As worked out from the rows of games and rounds, which the query of this name must equal.
-- How do matches go: how many rounds, how do they end, who wins, and does the one behind recover?
--
-- One row a cell of matches. Intervals are of 95 % and take matches as independent. The rounds of
-- one match are not: intervals over rounds are clustered by match (the ratio estimator's).
--
WITH played AS (
    SELECT
        r.cell, r.game, r.seed,
        count(*) AS rounds,
        sum(CASE WHEN r.winner IS NULL THEN 0.5 WHEN r.winner = r.first_player THEN 1 ELSE 0 END)
            AS starter_points,
        sum(r.burnt0 + r.burnt1) AS burnt,
        arg_min(r.winner, r.round) FILTER (r.winner IS NOT NULL AND r.round = 1) AS first_winner,
        arg_max(sign(r.score0 - r.score1), r.round) FILTER (r.round <= g.rounds / 2) AS half_time
    FROM rounds r
    JOIN games g USING (cell, game, seed)
    JOIN cells c USING (cell)
    WHERE c.match_kind <> 'single'
    GROUP BY r.cell, r.game, r.seed
),

matches AS (
    SELECT
        g.cell, g.winner, g.reason, p.* EXCLUDE (cell, game, seed),
        CASE g.winner WHEN 0 THEN p.half_time < 0 WHEN 1 THEN p.half_time > 0 END AS turned
    FROM played p
    JOIN games g USING (cell, game, seed)
),

totals AS (
    SELECT
        cell,
        count(*) AS n,
        count(*) FILTER (reason = 'burnt-out') AS burnt_out,
        count(*) FILTER (reason = 'max-rounds') AS max_rounds,
        sum(rounds) AS rounds,
        quantile_disc(rounds, [0.5, 0.95]) AS rounds_at,
        max(rounds) AS rounds_max,
        count(*) FILTER (winner = 0) AS wins,
        count(*) FILTER (winner IS NULL) AS draws,
        count(*) FILTER (winner = 1) AS losses,
        sum(starter_points) / sum(rounds) AS round_share,
        sum(starter_points * starter_points) AS yy,
        sum(starter_points * rounds) AS ym,
        sum(rounds * rounds) AS mm,
        sum(burnt) / sum(rounds) AS burnt_mean,
        count(*) FILTER (winner IS NOT NULL AND first_winner IS NOT NULL) AS opened,
        count(*) FILTER (winner <> first_winner) AS reversed,
        count(*) FILTER (turned) AS turned
    FROM matches
    GROUP BY cell
),

spread AS (
    -- The deviation, a match, of starter_points - round_share * rounds, over the mean rounds.
    SELECT
        *,
        sqrt(
            greatest(yy - 2 * round_share * ym + round_share * round_share * mm, 0) / nullif(n - 1, 0)
        ) / (rounds / n) AS round_sd
    FROM totals
)

SELECT
    c.cell, c.variant, c.pits, c.seeds, c.agent0, c.agent1,
    s.n AS matches,
    s.burnt_out / s.n AS burnt_out,
    s.max_rounds / s.n AS max_rounds,
    s.rounds / s.n AS rounds_mean,
    s.rounds_at[1] AS rounds_median,
    s.rounds_at[2] AS rounds_p95,
    s.rounds_max,
    (s.wins + s.draws / 2) / s.n AS match_share,
    share_low(s.wins, s.draws, s.losses) AS match_low,
    share_high(s.wins, s.draws, s.losses) AS match_high,
    s.round_share,
    mean_low(s.round_share, s.round_sd, s.n) AS round_low,
    mean_high(s.round_share, s.round_sd, s.n) AS round_high,
    s.burnt_mean,
    s.reversed / nullif(s.opened, 0) AS first_round_turned,
    s.turned / nullif(s.wins + s.losses, 0) AS half_time_turned
FROM spread s
JOIN cells c USING (cell)
ORDER BY c.variant, c.pits, c.seeds, c.agent0, c.agent1, c.cell
