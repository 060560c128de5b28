-- What becomes of a match round by round: burnt pits, who wins the round, and who overtakes?
--
-- One row a cell of matches and round. A match has one round of each number, so that these
-- intervals, of 95 %, take them as independent.
--
-- cell: id of the rules and the agents
-- variant: the rules' name
-- pits: pits a player
-- seeds: seeds in each pit at the start; null with an uneven layout
-- agent0: who begins the match
-- agent1: the other player
-- round: the round's number
-- matches: matches that came to it
-- burnt0: burnt pits of the player who began the match, mean
-- burnt1: those of the other
-- any_burnt: share of the matches with a burnt pit in this round
-- plies_mean: moves in the round, mean
-- starter_share: the share of the points of the player who begins this round
-- starter_low: lower end of its interval
-- starter_high: upper end
-- overtaken: of the matches that one player led before this round, the share the other leads after
WITH seen AS (
    SELECT
        r.cell, r.round, r.burnt0, r.burnt1, r.plies,
        r.winner = r.first_player AS won,
        r.winner IS NULL AS drawn,
        sign(r.score0 - r.score1) AS leader,
        lag(sign(r.score0 - r.score1)) OVER (
            PARTITION BY r.cell, r.seed, r.game ORDER BY r.round
        ) AS before
    FROM rounds r
    JOIN cells c USING (cell)
    WHERE c.match_kind <> 'single'
),

totals AS (
    SELECT
        cell, round,
        count(*) AS n,
        avg(burnt0) AS burnt0,
        avg(burnt1) AS burnt1,
        count(*) FILTER (burnt0 + burnt1 > 0) AS any_burnt,
        avg(plies) AS plies_mean,
        count(*) FILTER (won) AS wins,
        count(*) FILTER (drawn) AS draws,
        count(*) FILTER (NOT won) AS losses,
        count(*) FILTER (before <> 0) AS led,
        count(*) FILTER (before <> 0 AND leader = -before) AS overtaken
    FROM seen
    GROUP BY cell, round
)

SELECT
    c.cell, c.variant, c.pits, c.seeds, c.agent0, c.agent1,
    t.round,
    t.n AS matches,
    t.burnt0,
    t.burnt1,
    t.any_burnt / t.n AS any_burnt,
    t.plies_mean,
    (t.wins + t.draws / 2) / t.n AS starter_share,
    share_from(c.stopping, t.wins, t.draws, t.losses) AS starter_low,
    share_to(c.stopping, t.wins, t.draws, t.losses) AS starter_high,
    t.overtaken / nullif(t.led, 0) AS overtaken
FROM totals t
JOIN cells c USING (cell)
ORDER BY c.variant, c.pits, c.seeds, c.agent0, c.agent1, c.cell, t.round
