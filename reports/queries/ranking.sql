-- Which cells are best, by a criterion of yours?
--
-- One row a cell with games, the smallest criterion first. The criterion is what `report --rank-by`
-- says, in SQL over the columns of the query `balance`; without it, how far the first player's share lies
-- from one half. What a criterion does not name does not count, so draws, unfinished games and
-- repeated ones stand beside it: a game that is always drawn is balanced, and worth little.
--
-- cell: id of the rules and the agents
-- variant: the rules' name
-- pits: pits a player
-- seeds: seeds in each pit at the start; null with an uneven layout
-- agent0: who plays first
-- agent1: who plays second
-- rank: 1 for the smallest criterion; equal ones share a rank
-- criterion: the criterion's value
-- first_player_share: the first player's share of the points, a win 1 and a draw ½
-- share_low: lower end of its interval
-- share_high: upper end
-- draw_rate: share of games that neither won
-- completion: share of games that a rule ended, not a bound
-- plies_mean: moves a game, mean
-- games: games played
-- distinct_games: different move lists among them
-- distinct_exact: whether distinct_games is a count; of more than 4096 it is an estimate
SELECT
    cell, variant, pits, seeds, agent0, agent1,
    rank() OVER (ORDER BY criterion NULLS LAST) AS rank,
    criterion,
    first_player_share, share_low, share_high,
    draws / games AS draw_rate,
    completion, plies_mean, games, distinct_games, distinct_exact
FROM balance
JOIN criteria USING (cell)
WHERE games > 0
ORDER BY rank, variant, pits, seeds, agent0, agent1, cell
