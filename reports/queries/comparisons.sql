-- What does changing one key do to the first player's advantage?
--
-- One row for two cells that differ in one key alone: the variant, pits, seeds, the agents, or a rule
-- key. The difference is the second cell's share of the points minus the first's. Where both cells'
-- games begin with the same random plies (same rules, other agents, `--opening-plies`) it is paired:
-- the mean over the openings they share, with Student's interval. Else the interval is made of both
-- cells' own (Newcombe, Statistics in Medicine 17 (1998), 873-890, method 10), in matches with the
-- match as the unit. Very many comparisons find differences by chance: with q at most 0.05, of the
-- differences called so 5 % are expected to be none (Benjamini and Hochberg, Journal of the Royal
-- Statistical Society B 57 (1995), 289-300, over all rows).
--
-- cell: id of the first cell
-- variant: its rules' name
-- pits: its pits a player
-- seeds: its seeds in each pit at the start; null with an uneven layout
-- agent0: who plays first in it
-- agent1: who plays second in it
-- key: the key in which the two differ
-- from_value: its value in the first cell
-- to_value: its value in the second cell
-- other: id of the second cell
-- difference: of the first player's share of the points, second cell minus first
-- difference_low: lower end of its interval
-- difference_high: upper end
-- p: how likely a difference so large or larger is where there is none
-- q: p, adjusted for the number of comparisons
-- paired: pairs of games that share an opening; null where none do
-- margin_difference: of the first player's mean margin, in seeds
-- plies_difference: of the mean number of moves
WITH played AS (
    SELECT
        *, plies / games AS plies_mean, sum_of(by_margin) / games AS margin_mean
    FROM summary
    WHERE games > 0
),

couples AS (
    SELECT
        one.key, one.value AS from_value, other.value AS to_value,
        one.cell AS cell, other.cell AS other
    FROM axes AS one
    JOIN axes AS other
        ON one.key = other.key AND one.rest = other.rest AND one.value IS DISTINCT FROM other.value
    JOIN played AS a ON a.cell = one.cell
    JOIN played AS b ON b.cell = other.cell
    WHERE coalesce(
        try_cast(one.value AS DOUBLE) < try_cast(other.value AS DOUBLE),
        coalesce(one.value, '') < coalesce(other.value, '')
    )
),

openings AS (
    SELECT
        couples.cell, couples.other, count(*) AS pairs,
        avg(b.points0 - a.points0) AS mean, stddev_samp(b.points0 - a.points0) AS deviation
    FROM couples
    JOIN cells ON cells.cell = couples.cell AND couples.key = 'agents' AND cells.opening_plies > 0
    JOIN games AS a ON a.cell = couples.cell
    JOIN games AS b ON b.cell = couples.other AND b.seed = a.seed AND b.pair = a.pair
    GROUP BY couples.cell, couples.other
),

differences AS (
    SELECT
        couples.*,
        b.margin_mean - a.margin_mean AS margin_difference,
        b.plies_mean - a.plies_mean AS plies_difference,
        b.first_player_share - a.first_player_share AS unpaired,
        -- How far each share may be off towards the other, and away from it.
        sqrt((a.first_player_share - a.share_low) ** 2 + (b.share_high - b.first_player_share) ** 2)
            AS above,
        sqrt((a.share_high - a.first_player_share) ** 2 + (b.first_player_share - b.share_low) ** 2)
            AS below,
        CASE WHEN o.deviation > 0 AND NOT (a.stopping OR b.stopping) THEN o.pairs END AS paired,
        o.mean, o.deviation
    FROM couples
    JOIN played AS a ON a.cell = couples.cell
    JOIN played AS b ON b.cell = couples.other
    LEFT JOIN openings AS o ON o.cell = couples.cell AND o.other = couples.other
),

judged AS (
    SELECT
        *,
        CASE WHEN paired IS NULL THEN unpaired ELSE mean END AS difference,
        CASE WHEN paired IS NULL THEN unpaired - below
            ELSE mean_low(mean, deviation, paired) END AS difference_low,
        CASE WHEN paired IS NULL THEN unpaired + above
            ELSE mean_high(mean, deviation, paired) END AS difference_high,
        -- In the direction of no difference the interval reaches 1.96 standard errors.
        2 * normal(-CASE
            WHEN paired IS NOT NULL THEN abs(mean) * sqrt(paired) / deviation
            ELSE abs(unpaired) * 1.959963984540054 / CASE WHEN unpaired > 0 THEN below ELSE above END
        END) AS p
    FROM differences
)

SELECT
    cell, variant, pits, seeds, agent0, agent1,
    key, from_value, to_value, other,
    difference, difference_low, difference_high,
    p,
    least(1, min(p * count_all / rank) OVER (
        ORDER BY p DESC, rank DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    )) AS q,
    paired, margin_difference, plies_difference
FROM (
    SELECT *, count(*) OVER () AS count_all, row_number() OVER (ORDER BY p, cell, other) AS rank
    FROM judged
)
JOIN cells USING (cell)
ORDER BY variant, pits, seeds, agent0, agent1, cell, key, try_cast(to_value AS DOUBLE), to_value, other
