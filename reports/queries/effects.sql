-- How much does each key matter to the first player's advantage, over the whole grid?
--
-- One row for each key in which cells differ and each of its values but the first. Compared are
-- cells that are equal in all other keys, one with this value and one with the first: the effect is
-- the mean difference of the first player's share, each couple counting alike. Its interval is of
-- these cells alone, as if no others could have been chosen; how much the effect differs from couple to
-- couple, least and most say.
--
-- key: the variant, pits, seeds, the agents, or a rule key
-- first_value: the value with which others are compared
-- value: the other value
-- couples: pairs of cells that differ in this key alone
-- effect: mean difference of the first player's share of the points, value minus first value
-- effect_low: lower end of its interval (95 %, normal)
-- effect_high: upper end
-- least: least difference of a couple
-- most: largest
-- margin_effect: mean difference of the mean margin, in seeds
-- plies_effect: mean difference of the mean number of moves
WITH played AS (
    SELECT
        a.cell, a.key, a.value, a.rest, s.first_player_share AS share,
        ((s.share_high - s.share_low) / 2 / 1.959963984540054) ** 2 AS variance,
        sum_of(s.by_margin) / s.games AS margin, s.plies / s.games AS plies
    FROM axes AS a
    JOIN summary AS s USING (cell)
    WHERE s.games > 0
),

firsts AS (
    SELECT key, arg_min(value, (coalesce(try_cast(value AS DOUBLE), 0), value)) AS first_value
    FROM played
    GROUP BY key
),

couples AS (
    SELECT
        one.key, one.value AS first_value, other.value,
        other.share - one.share AS difference,
        other.variance + one.variance AS variance,
        other.margin - one.margin AS margin,
        other.plies - one.plies AS plies
    FROM firsts
    JOIN played AS one ON one.key = firsts.key AND one.value = firsts.first_value
    JOIN played AS other
        ON other.key = one.key AND other.rest = one.rest AND other.value <> one.value
),

effects AS (
    SELECT
        key, first_value, value, count(*) AS couples, avg(difference) AS effect,
        1.959963984540054 * sqrt(sum(variance)) / count(*) AS reach,
        min(difference) AS least, max(difference) AS most,
        avg(margin) AS margin_effect, avg(plies) AS plies_effect
    FROM couples
    GROUP BY key, first_value, value
)

SELECT
    key, first_value, value, couples,
    effect, effect - reach AS effect_low, effect + reach AS effect_high,
    least, most, margin_effect, plies_effect
FROM effects
ORDER BY key, try_cast(value AS DOUBLE), value
