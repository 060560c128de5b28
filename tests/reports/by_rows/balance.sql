-- As worked out from the rows of games and rounds, which the query of this name must equal.
-- Is the variant fair, and how long is a game? The standard report.
--
-- One row a cell, a cell without games included. A share counts a win 1 and a draw ½. Intervals
-- are of 95 % and take games as independent. Quantiles are exact: the least value that so many
-- games do not exceed.
--
WITH totals AS (
    SELECT
        cell,
        count(*) AS games,
        count(DISTINCT digest) AS distinct_games,
        count(*) FILTER (reason IN ('max-plies', 'max-laps', 'max-rounds')) AS bounded,
        count(*) FILTER (winner = 0) AS wins0,
        count(*) FILTER (winner IS NULL) AS draws,
        count(*) FILTER (winner = 1) AS wins1,
        -- Sums of integers, so that the figures do not depend on the order of rows.
        sum(margin) AS margins,
        sum(margin::INTEGER * margin) AS squares,
        avg(plies) AS plies_mean,
        quantile_disc(plies, [0.05, 0.5, 0.95]) AS plies_at,
        max(plies) AS plies_max,
        avg(turns) AS turns_mean,
        quantile_disc(turns, [0.05, 0.5, 0.95]) AS turns_at,
        max(turns) AS turns_max
    FROM games
    GROUP BY cell
),

figures AS (
    SELECT
        *,
        (wins0 + draws / 2) / games AS first_player_share,
        margins / games AS margin_mean,
        sqrt((games * squares - margins * margins) / (games * (games - 1.0::DOUBLE))) AS margin_sd
    FROM totals
)

SELECT
    c.cell, c.variant, c.pits, c.seeds, c.agent0, c.agent1,
    coalesce(f.games, 0) AS games,
    coalesce(f.distinct_games, 0) AS distinct_games,
    1 - f.bounded / f.games AS completion,
    coalesce(f.wins0, 0) AS wins0,
    coalesce(f.draws, 0) AS draws,
    coalesce(f.wins1, 0) AS wins1,
    f.first_player_share,
    share_low(f.wins0, f.draws, f.wins1) AS share_low,
    share_high(f.wins0, f.draws, f.wins1) AS share_high,
    f.margin_mean,
    mean_low(f.margin_mean, f.margin_sd, f.games) AS margin_low,
    mean_high(f.margin_mean, f.margin_sd, f.games) AS margin_high,
    f.plies_mean,
    f.plies_at[2] AS plies_median,
    f.plies_at[1] AS plies_p5,
    f.plies_at[3] AS plies_p95,
    f.plies_max,
    f.turns_mean,
    f.turns_at[2] AS turns_median,
    f.turns_at[1] AS turns_p5,
    f.turns_at[3] AS turns_p95,
    f.turns_max,
    list_filter(
        [
            CASE WHEN 2 * f.distinct_games < f.games THEN
                'share, margin: far fewer distinct games than games; the intervals hold where'
                || ' chance repeats games, not where players repeat themselves'
            END,
            CASE WHEN f.games > 0 AND c.end_win_seeds IS NOT NULL THEN
                'margin: cut short, since a round ends once a store holds enough seeds to win'
                || ' (end.win_seeds)'
            END,
            CASE WHEN f.games > 1 AND f.margin_sd = 0 THEN
                'margin: the same in every game, so that it has no interval'
            END
        ],
        lambda note: note IS NOT NULL
    ) AS notes
FROM cells c
LEFT JOIN figures f USING (cell)
ORDER BY c.variant, c.pits, c.seeds, c.agent0, c.agent1, c.cell
