-- How do matches go: how many rounds, how do they end, who wins, and does the one behind recover?
--
-- One row a cell of matches. Intervals are of 95 % and take matches as independent. The rounds of
-- one match are not: intervals over rounds are clustered by match (the ratio estimator's), and where
-- matches were played until they were precise enough there is none.
--
-- cell: id of the rules and the agents
-- variant: the rules' name
-- pits: pits a player
-- seeds: seeds in each pit at the start; null with an uneven layout
-- agent0: who begins the match
-- agent1: the other player
-- matches: matches played
-- burnt_out: share of them that ended because a player could not fill a pit
-- max_rounds: share that ran into the bound of rounds
-- rounds_mean: rounds a match, mean
-- rounds_median: median
-- rounds_p95: 95 % quantile
-- rounds_max: most
-- match_share: by match: the share of the points of the player who begins the match
-- match_low: lower end of its interval
-- match_high: upper end
-- round_share: by round: the share of the points, over all rounds, of the player who begins the round
-- round_low: lower end of its interval
-- round_high: upper end
-- burnt_mean: burnt pits a round, both players', mean
-- first_round_turned: share of the matches won that the loser of the first round won
-- half_time_turned: share of the matches won whose winner was behind in seeds after half the rounds
WITH totals AS (
    SELECT
        *,
        games AS n,
        games_with(by_reason, ['burnt-out']) AS burnt_out,
        games_with(by_reason, ['max-rounds']) AS max_rounds,
        -- Points of the players who begin the rounds, a match; they are stored doubled.
        starter_points2 / 2 / rounds AS round_share,
        starter_points2_squared / 4 AS yy,
        starter_points2_rounds / 2 AS ym,
        rounds_squared AS mm
    FROM summary
    WHERE match_kind <> 'single' AND rounds > 0
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
    cell, variant, pits, seeds, agent0, agent1,
    n AS matches,
    burnt_out / n AS burnt_out,
    max_rounds / n AS max_rounds,
    rounds / n AS rounds_mean,
    quantile_of(by_rounds, 50) AS rounds_median,
    quantile_of(by_rounds, 95) AS rounds_p95,
    by_rounds[-1].value AS rounds_max,
    first_player_share AS match_share,
    share_low AS match_low,
    share_high AS match_high,
    round_share,
    CASE WHEN NOT stopping THEN mean_low(round_share, round_sd, n) END AS round_low,
    CASE WHEN NOT stopping THEN mean_high(round_share, round_sd, n) END AS round_high,
    burnt / rounds AS burnt_mean,
    first_turned / nullif(opened, 0) AS first_round_turned,
    half_turned / nullif(wins0 + wins1, 0) AS half_time_turned
FROM spread
ORDER BY variant, pits, seeds, agent0, agent1, cell
