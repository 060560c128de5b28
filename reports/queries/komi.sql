-- Which handicap would make the game fair?
--
-- One row a cell with games. Komi is the number of seeds, in steps of a half, that the first player
-- gives the second so that its share of the points comes closest to one half: its margin less komi
-- decides who wins. Of several such numbers it is the smallest. The share there is what these
-- games would have come to, not what players would make of a handicap that they know. Where a
-- round ends once a store holds a majority (`end.win_seeds`) margins are cut short, and there is
-- none.
--
-- cell: id of the rules and the agents
-- variant: the rules' name
-- pits: pits a player
-- seeds: seeds in each pit at the start; null with an uneven layout
-- agent0: who plays first
-- agent1: who plays second
-- games: games played
-- first_player_share: the first player's share of the points as they were played
-- komi: seeds that the first player gives; negative where it gets them
-- komi_share: the first player's share with komi
-- komi_low: lower end of its interval (95 %)
-- komi_high: upper end
WITH margins AS (
    SELECT cell, games, m.value AS margin, m.games AS here, m.upto AS upto
    FROM (
        SELECT cell, games, unnest(by_margin) AS m
        FROM summary
        WHERE games > 0 AND end_win_seeds IS NULL
    )
),

-- A komi equal to a margin makes draws of its games; all numbers between two margins come to the
-- same, of which that nearest to 0 is taken.
candidates AS (
    SELECT
        cell, margin::DOUBLE AS komi, games - upto AS wins, here AS draws, upto - here AS losses
    FROM margins
    UNION ALL
    SELECT
        cell,
        CASE
            WHEN margin < 0 AND above > 0 THEN 0
            WHEN margin >= 0 THEN margin + 0.5
            ELSE above - 0.5
        END,
        games - upto, 0, upto
    FROM (
        FROM margins
        SELECT *, lead(margin) OVER (PARTITION BY cell ORDER BY margin) AS above
    )
    WHERE above IS NOT NULL
),

komis AS (
    SELECT *, (wins + draws / 2) / (wins + draws + losses) AS share
    FROM candidates
    QUALIFY row_number() OVER (
        PARTITION BY cell ORDER BY round(abs(share - 0.5), 12), abs(komi), komi DESC
    ) = 1
)

SELECT
    s.cell, s.variant, s.pits, s.seeds, s.agent0, s.agent1,
    s.games, s.first_player_share,
    k.komi, k.share AS komi_share,
    share_from(s.stopping, k.wins, k.draws, k.losses) AS komi_low,
    share_to(s.stopping, k.wins, k.draws, k.losses) AS komi_high
FROM summary s
LEFT JOIN komis k USING (cell)
WHERE s.games > 0
ORDER BY s.variant, s.pits, s.seeds, s.agent0, s.agent1, s.cell
