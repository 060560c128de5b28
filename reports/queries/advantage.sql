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
-- distinct_exact: whether distinct_games is a count; of more than 4096 it is an estimate
SELECT
    cell, variant, pits, seeds, agent0, agent1,
    games,
    distinct_games,
    completion,
    draws / games AS draw_rate,
    first_player_share,
    share_low,
    share_high,
    wins0 / nullif(wins0 + wins1, 0) AS decided_share,
    share_from(stopping, wins0, 0, wins1) AS decided_low,
    share_to(stopping, wins0, 0, wins1) AS decided_high,
    quantile_of(by_margin, 5) AS margin_p5,
    quantile_of(by_margin, 50) AS margin_median,
    quantile_of(by_margin, 95) AS margin_p95,
    distinct_exact
FROM summary
WHERE games > 0
ORDER BY variant, pits, seeds, agent0, agent1, cell
