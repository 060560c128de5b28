-- How strong is each player, and what is the first move worth?
--
-- One row for a player under some rules, the strongest first. Ratings are in Elo points around a mean
-- of 0, from all games between the players: Bradley and Terry's model with draws (Davidson) and with the
-- first move's worth (Davidson and Beaver), by maximum likelihood; see `reports/ratings.py`. Ratings of
-- different rules do not compare, nor do those of players that met neither each other nor
-- others in common: these are rated apart, in groups. Games are taken as independent. A player
-- that won or lost all its games is off by more than can be said: its interval is null.
--
-- variant: the rules' name
-- pits: pits a player
-- seeds: seeds in each pit at the start; null with an uneven layout
-- settings: other keys in which cells of the datasets differ
-- player: who is rated
-- games: games against others
-- share: of the points in them
-- rating: in Elo points
-- rating_low: lower end of its interval (95 %)
-- rating_high: upper end
-- advantage: what the first move is worth between these players, in Elo points
-- advantage_low: lower end of its interval
-- advantage_high: upper end
-- draw_rate: how likely a draw is between equal players, the first move apart
-- excess: how far the results are from the model: a chi-squared of `freedom` degrees, if it is true
-- freedom: its degrees of freedom
-- players_group: players of one number compare
WITH boards AS (
    SELECT
        s.cell, s.variant, s.pits, s.seeds, s.agent0, s.agent1, s.wins0, s.draws, s.wins1,
        coalesce(
            string_agg(concat(a.key, ' ', a.value), ', ' ORDER BY a.key)
            FILTER (a.key IS NOT NULL), ''
        ) AS settings
    FROM summary AS s
    LEFT JOIN axes AS a
        ON a.cell = s.cell AND a.key NOT IN ('variant', 'pits', 'seeds', 'agents')
    WHERE s.games > 0
    GROUP BY ALL
),

meetings AS (
    SELECT
        variant, pits, seeds, settings,
        list({
            'first': agent0, 'second': agent1, 'wins': wins0, 'draws': draws, 'losses': wins1
        } ORDER BY cell) AS met
    FROM boards
    GROUP BY variant, pits, seeds, settings
),

fits AS (SELECT * EXCLUDE (met), unnest(ratings(met)) AS fit FROM meetings)

SELECT
    variant, pits, seeds, settings,
    fit.player, fit.games, fit.share, fit.rating, fit.rating_low, fit.rating_high,
    fit.advantage, fit.advantage_low, fit.advantage_high, fit.draw_rate, fit.excess, fit.freedom,
    fit.players_group
FROM fits
ORDER BY variant, pits, seeds, settings, fit.players_group, fit.rating DESC, fit.player
