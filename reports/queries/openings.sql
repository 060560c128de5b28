-- Which pit opens a game, and how does the first player fare after it?
--
-- One row a cell and opening pit. It looks at first rounds, which are whole games but in matches,
-- and needs logged moves. Intervals are of 95 % and take games as independent.
--
-- cell: id of the rules and the agents
-- variant: the rules' name
-- pits: pits a player
-- seeds: seeds in each pit at the start; null with an uneven layout
-- agent0: who plays first
-- agent1: who plays second
-- pit: the pit that the first move empties; 0 lies farthest from its owner's store
-- games: games that began so
-- chosen: their share of the cell's games
-- first_player_share: the opening player's share of the points, a win 1 and a draw ½
-- share_low: lower end of its interval
-- share_high: upper end
-- plies_mean: moves in such a round, mean
WITH openings AS (
    SELECT
        cell,
        move_list[1] AS pit,
        count(*) AS games,
        count(*) FILTER (winner = first_player) AS wins,
        count(*) FILTER (winner IS NULL) AS draws,
        count(*) FILTER (winner <> first_player) AS losses,
        avg(plies) AS plies_mean
    FROM rounds
    WHERE round = 1 AND len(move_list) > 0
    GROUP BY cell, pit
)

SELECT
    c.cell, c.variant, c.pits, c.seeds, c.agent0, c.agent1,
    o.pit,
    o.games,
    o.games / sum(o.games) OVER (PARTITION BY c.cell) AS chosen,
    (o.wins + o.draws / 2) / o.games AS first_player_share,
    share_from(c.stopping, o.wins, o.draws, o.losses) AS share_low,
    share_to(c.stopping, o.wins, o.draws, o.losses) AS share_high,
    o.plies_mean
FROM openings o
JOIN cells c USING (cell)
ORDER BY c.variant, c.pits, c.seeds, c.agent0, c.agent1, c.cell, o.pit
