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
-- as_first: its share of the points where it played first
-- as_second: and where it played second
-- margin_mean: seeds by which it was ahead in the end, mean over all games
WITH rules AS (
    SELECT rest.cell, to_json(rest).json_merge_patch('{"cell": null}') AS rules
    FROM (SELECT * EXCLUDE (variant, agent0, agent1, n_games, stopping) FROM cells) AS rest
),

seats AS (SELECT * FROM cells JOIN rules USING (cell)),

pairs AS (
    -- Both orders of two players: that with fewer points is left out below.
    SELECT
        one.cell,
        one_game.points0 AS first_points,
        1 - two_game.points0 AS second_points,
        (first_points + second_points) / 2 AS points,
        (one_game.margin - two_game.margin) / 2 AS margin,
        [one_game.digest, two_game.digest] AS moves
    FROM seats AS one
    JOIN seats AS two
        ON one.rules = two.rules AND one.agent0 = two.agent1 AND one.agent1 = two.agent0
    JOIN games AS one_game ON one_game.cell = one.cell
    JOIN games AS two_game
        ON two_game.cell = two.cell
        AND two_game.seed = one_game.seed
        AND two_game.pair = one_game.pair
    WHERE one.agent0 <> one.agent1
),

duels AS (
    SELECT
        cell,
        count(*) AS pairs,
        count(DISTINCT moves) AS distinct_pairs,
        avg(points) AS share,
        stddev_samp(points) AS deviation,
        count_if(points > 0.5) AS won,
        count_if(points < 0.5) AS lost,
        avg(first_points) AS as_first,
        avg(second_points) AS as_second,
        avg(margin) AS margin_mean
    FROM pairs
    GROUP BY cell
)

SELECT
    cell, variant, pits, seeds, agent0, agent1,
    pairs, distinct_pairs, share,
    greatest(
        0, coalesce(mean_low(share, deviation, pairs), share_low(won, pairs - won - lost, lost))
    ) AS share_low,
    least(
        1, coalesce(mean_high(share, deviation, pairs), share_high(won, pairs - won - lost, lost))
    ) AS share_high,
    as_first, as_second, margin_mean
FROM duels
JOIN cells USING (cell)
WHERE share > 0.5 OR (share = 0.5 AND agent0 < agent1)
ORDER BY variant, pits, seeds, agent0, agent1, cell
