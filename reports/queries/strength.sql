-- Does the first player's advantage grow or shrink with the strength of play?
--
-- One row a cell in which a player meets itself, the weaker players first: by the work that a move
-- takes them, which is about the order of strength.
--
-- cell: id of the rules and the agents
-- variant: the rules' name
-- pits: pits a player
-- seeds: seeds in each pit at the start; null with an uneven layout
-- agent0: who plays both seats
-- agent1: the same
-- games: games played
-- distinct_games: different move lists among them
-- first_player_share: the first player's share of the points, a win 1 and a draw ½
-- share_low: lower end of its interval
-- share_high: upper end
-- elo: the share as Elo points: how much stronger a player would have to be for it; null for 0 and 1
-- elo_low: lower end of its interval
-- elo_high: upper end
-- draw_rate: share of games that neither won
-- plies_mean: moves a game, mean
-- work: of a move, beside random play
-- distinct_exact: whether distinct_games is a count; of more than 4096 it is an estimate
SELECT
    cell, variant, pits, seeds, agent0, agent1,
    games, distinct_games,
    first_player_share, share_low, share_high,
    elo(first_player_share) AS elo, elo(share_low) AS elo_low, elo(share_high) AS elo_high,
    draws / games AS draw_rate,
    plies / games AS plies_mean,
    work_of(agent0) AS work,
    distinct_exact
FROM summary
WHERE games > 0 AND agent0 = agent1
ORDER BY variant, pits, seeds, work, agent0, cell
