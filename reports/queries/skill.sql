-- How much does it help a player to look twice as far?
--
-- One row for two players that differ in their budget alone (`mcts:200` and `mcts:100`, `minimax:4`
-- and `minimax:2`), one with twice the other's, that met in both seats: the one with more is
-- agent0. Where skill decides, its share of the points is far above one half, and stays so from
-- doubling to doubling. Pairs of games are counted as in the query `duels`.
--
-- cell: id of the rules with the larger budget first
-- variant: the rules' name
-- pits: pits a player
-- seeds: seeds in each pit at the start; null with an uneven layout
-- agent0: the player with the larger budget
-- agent1: the one with half of it
-- pairs: pairs of games
-- distinct_pairs: different ones among them, by their moves
-- share: the share of all points that agent0 won
-- share_low: lower end of its interval
-- share_high: upper end
-- elo: the share as Elo points: what the doubling is worth; null for 0 and 1
-- elo_low: lower end of its interval
-- elo_high: upper end
-- as_first: its share of the points where it played first
-- as_second: and where it played second
WITH budgets AS (
    SELECT
        *,
        regexp_replace(agent0, ':\d+', ':N') AS kind0,
        regexp_replace(agent1, ':\d+', ':N') AS kind1,
        try_cast(regexp_extract(agent0, ':(\d+)', 1) AS BIGINT) AS budget0,
        try_cast(regexp_extract(agent1, ':(\d+)', 1) AS BIGINT) AS budget1
    FROM cells
)

SELECT
    cell, variant, pits, seeds, agent0, agent1,
    pairs, distinct_pairs, share, share_low, share_high,
    elo(share) AS elo, elo(share_low) AS elo_low, elo(share_high) AS elo_high,
    as_first, as_second
FROM duels
JOIN budgets USING (cell)
WHERE kind0 = kind1 AND budget0 = 2 * budget1
ORDER BY variant, pits, seeds, kind0, budget0, cell
