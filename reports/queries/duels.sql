-- Which of two players is stronger, both seats taken together?
--
-- One row for two different players that met in both seats under one variant's rules, the one with
-- more points first. Counted are pairs: two games of one number and seed, in which the players have
-- changed seats; with `--opening-plies` both games begin with the same moves. A win counts 1, a
-- draw ½. The pair is the unit of the interval (95 %, Student's, of the mean over pairs), since its two
-- games are alike; where all pairs went alike it is the score interval of as many games.
--
-- cell: id of the rules with the stronger player first
-- variant: the rules' name
-- pits: pits a player
-- seeds: seeds in each pit at the start; null with an uneven layout
-- agent0: the player with more points
-- agent1: the other one
-- pairs: pairs of games
-- distinct_pairs: different ones among them, by their moves
-- share: the share of all points that agent0 won
-- share_low: lower end of its interval
-- share_high: upper end
-- elo: the share as Elo points: how much stronger agent0 is; null for 0 and 1
-- elo_low: lower end of its interval
-- elo_high: upper end
-- superiority: how likely agent0 is the stronger one, as a normal test has it
-- as_first: its share of the points where it played first
-- as_second: and where it played second
-- margin_mean: seeds by which it was ahead in the end, mean over all games
SELECT
    cell, variant, pits, seeds, agent0, agent1,
    pairs, distinct_pairs, share, share_low, share_high,
    elo(share) AS elo, elo(share_low) AS elo_low, elo(share_high) AS elo_high,
    superiority, as_first, as_second, margin_mean
FROM duels
JOIN cells USING (cell)
WHERE share > 0.5 OR (share = 0.5 AND agent0 < agent1)
ORDER BY variant, pits, seeds, agent0, agent1, cell
