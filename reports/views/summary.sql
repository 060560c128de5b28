-- The ends of a share's interval. Where results decided how many games there are, as they do where a
-- cell stops by precision, it has to hold at any number of them: then it is a confidence sequence.
CREATE MACRO share_from(stopping, wins, draws, losses) AS
    CASE WHEN stopping THEN share_sequence_low(wins, draws, losses)
        ELSE share_low(wins, draws, losses) END;
CREATE MACRO share_to(stopping, wins, draws, losses) AS
    CASE WHEN stopping THEN share_sequence_high(wins, draws, losses)
        ELSE share_high(wins, draws, losses) END;

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
    c.cell, c.variant, c.pits, c.seeds, c.agent0, c.agent1, c.end_win_seeds, c.match_kind, c.stopping,
    coalesce(2 * c.pits::INTEGER * c.seeds, list_sum(flatten(c.board_layout)))::DOUBLE AS total_seeds,
    coalesce(f.games, 0) AS games,
    coalesce(f.distinct_games, 0) AS distinct_games,
    coalesce(f.distinct_exact, true) AS distinct_exact,
    1 - f.bounded / f.games AS completion,
    coalesce(f.wins0, 0) AS wins0,
    coalesce(f.draws, 0) AS draws,
    coalesce(f.wins1, 0) AS wins1,
    f.first_player_share,
    share_from(c.stopping, f.wins0, f.draws, f.wins1) AS share_low,
    share_to(c.stopping, f.wins0, f.draws, f.wins1) AS share_high,
    f.* EXCLUDE (
        cell, games, distinct_games, distinct_exact, wins0, draws, wins1, bounded,
        first_player_share
    )
FROM cells c
LEFT JOIN figures f USING (cell)
