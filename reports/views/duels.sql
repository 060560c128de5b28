-- The view `duels`: of each two different players that met in both seats under the same rules, in both
-- orders, the pairs of games of one number and seed, in which they have changed seats.
CREATE VIEW duels AS
WITH rules AS (
    SELECT rest.cell, to_json(rest).json_merge_patch('{"cell": null}') AS rules
    FROM (SELECT * EXCLUDE (variant, agent0, agent1, n_games, stopping) FROM cells) AS rest
),

seats AS (SELECT * FROM cells JOIN rules USING (cell)),

pairs AS (
    SELECT
        one.cell,
        one.stopping OR two.stopping AS stopping,
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

sums AS (
    SELECT
        cell, stopping,
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
    GROUP BY cell, stopping
)

SELECT
    * EXCLUDE (stopping),
    CASE WHEN stopping THEN 0.5 + mean_sequence_low(share - 0.5, deviation, pairs, 1)
        ELSE greatest(0, coalesce(
            mean_low(share, deviation, pairs), share_low(won, pairs - won - lost, lost)
        )) END AS share_low,
    CASE WHEN stopping THEN 0.5 + mean_sequence_high(share - 0.5, deviation, pairs, 1)
        ELSE least(1, coalesce(
            mean_high(share, deviation, pairs), share_high(won, pairs - won - lost, lost)
        )) END AS share_high,
    superiority(share, deviation, pairs) AS superiority
FROM sums
