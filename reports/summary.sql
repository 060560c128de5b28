-- The view `summary` for the queries: the statistics of every cell, those without games too, and
-- the first player's share of the points, a win 1 and a draw ½, with its interval.
CREATE VIEW summary AS
WITH figures AS (
    SELECT
        *,
        games_with(by_reason, ['max-plies', 'max-laps', 'max-rounds']) AS bounded,
        (wins0 + draws / 2) / games AS first_player_share
    FROM statistics
)

SELECT
    c.cell, c.variant, c.pits, c.seeds, c.agent0, c.agent1, c.end_win_seeds, c.match_kind,
    coalesce(f.games, 0) AS games,
    coalesce(f.distinct_games, 0) AS distinct_games,
    coalesce(f.distinct_exact, true) AS distinct_exact,
    1 - f.bounded / f.games AS completion,
    coalesce(f.wins0, 0) AS wins0,
    coalesce(f.draws, 0) AS draws,
    coalesce(f.wins1, 0) AS wins1,
    f.first_player_share,
    share_low(f.wins0, f.draws, f.wins1) AS share_low,
    share_high(f.wins0, f.draws, f.wins1) AS share_high,
    f.* EXCLUDE (
        cell, games, distinct_games, distinct_exact, wins0, draws, wins1, bounded,
        first_player_share
    )
FROM cells c
LEFT JOIN figures f USING (cell)
