-- Is the variant fair, and how long is a game? The standard report.
--
-- One row a cell, a cell without games included. A share counts a win 1 and a draw ½. Intervals
-- are of 95 % and take games as independent. Quantiles are exact: the least value that so many
-- games do not exceed.
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
-- wins0: games that the first player won
-- draws: games that neither won
-- wins1: games that the second player won
-- first_player_share: the first player's share of the points
-- share_low: lower end of its interval
-- share_high: upper end
-- margin_mean: mean of the first player's score minus the second's, in seeds
-- margin_low: lower end of its interval
-- margin_high: upper end
-- plies_mean: moves a game, mean
-- plies_median: median
-- plies_p5: 5 % quantile
-- plies_p95: 95 % quantile
-- plies_max: most
-- turns_mean: turns a game (moves but for those of an extra turn), mean
-- turns_median: median
-- turns_p5: 5 % quantile
-- turns_p95: 95 % quantile
-- turns_max: most
-- distinct_exact: whether distinct_games is a count; of more than 4096 it is an estimate
-- notes: what to know before citing a figure, which each note names first
WITH figures AS (
    SELECT *, sum_of(by_margin) AS margins, squares_of(by_margin) AS squares
    FROM summary
)

SELECT
    cell, variant, pits, seeds, agent0, agent1,
    games, distinct_games, completion, wins0, draws, wins1,
    first_player_share, share_low, share_high,
    margins / games AS margin_mean,
    -- The margin lies between all seeds against and all seeds for the first player.
    CASE WHEN stopping THEN mean_sequence_low(margin_mean, margin_sd, games, 2 * total_seeds)
        ELSE mean_low(margin_mean, margin_sd, games) END AS margin_low,
    CASE WHEN stopping THEN mean_sequence_high(margin_mean, margin_sd, games, 2 * total_seeds)
        ELSE mean_high(margin_mean, margin_sd, games) END AS margin_high,
    plies / games AS plies_mean,
    quantile_of(by_plies, 50) AS plies_median,
    quantile_of(by_plies, 5) AS plies_p5,
    quantile_of(by_plies, 95) AS plies_p95,
    by_plies[-1].value AS plies_max,
    turns / games AS turns_mean,
    quantile_of(by_turns, 50) AS turns_median,
    quantile_of(by_turns, 5) AS turns_p5,
    quantile_of(by_turns, 95) AS turns_p95,
    by_turns[-1].value AS turns_max,
    distinct_exact,
    list_filter(
        [
            CASE WHEN 2 * distinct_games < games THEN
                'share, margin: far fewer distinct games than games; the intervals hold where'
                || ' chance repeats games, not where players repeat themselves'
            END,
            CASE WHEN games > 0 AND end_win_seeds IS NOT NULL THEN
                'margin: cut short, since a round ends once a store holds enough seeds to win'
                || ' (end.win_seeds)'
            END,
            CASE WHEN games > 1 AND margin_sd = 0 AND NOT stopping THEN
                'margin: the same in every game, so that it has no interval'
            END,
            CASE WHEN stopping AND games > 0 THEN
                'share, margin: intervals of a confidence sequence, which hold though games were'
                || ' played until they were narrow enough ([stop])'
            END
        ],
        lambda note: note IS NOT NULL
    ) AS notes
FROM (
    SELECT
        *,
        sqrt((games * squares - margins * margins) / (games * (games - 1.0::DOUBLE))) AS margin_sd
    FROM figures
)
ORDER BY variant, pits, seeds, agent0, agent1, cell
