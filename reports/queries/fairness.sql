-- Which variants are fair, within a bound?
--
-- One row a cell with games, the fairest first. Fair is what is shown to be so: the first player's
-- share of the points lies within the bound of one half, by two one-sided tests at 5 % (Schuirmann,
-- Journal of Pharmacokinetics and Biopharmaceutics 15 (1987), 657-680), which is to say that its 90 %
-- interval lies there whole. Unfair is what is shown to lie outside: its 95 % interval does. All
-- else is undecided, and needs more games. The bound is 0.02 unless `report --within` says another
-- one; in SQL it is the variable `within`. Of cells that stop by precision the confidence
-- sequence stands for both intervals, and there is no p.
--
-- cell: id of the rules and the agents
-- variant: the rules' name
-- pits: pits a player
-- seeds: seeds in each pit at the start; null with an uneven layout
-- agent0: who plays first
-- agent1: who plays second
-- verdict: fair, unfair or undecided
-- first_player_share: the first player's share of the points, a win 1 and a draw ½
-- fair_low: lower end of its 90 % interval
-- fair_high: upper end
-- p: of the larger of the two tests, for a share outside of the bound
-- games: games played
-- draw_rate: share of games that neither won
-- completion: share of games that a rule ended, not a bound
-- bound: how far from one half is fair
WITH ends AS (
    SELECT
        *,
        coalesce(getvariable('within'), 0.02)::DOUBLE AS bound,
        CASE WHEN stopping THEN share_low ELSE share90_low(wins0, draws, wins1) END AS fair_low,
        CASE WHEN stopping THEN share_high ELSE share90_high(wins0, draws, wins1) END AS fair_high
    FROM summary
    WHERE games > 0
)

SELECT
    cell, variant, pits, seeds, agent0, agent1,
    CASE
        WHEN fair_low > 0.5 - bound AND fair_high < 0.5 + bound THEN 'fair'
        WHEN share_low > 0.5 + bound OR share_high < 0.5 - bound THEN 'unfair'
        ELSE 'undecided'
    END AS verdict,
    first_player_share, fair_low, fair_high,
    CASE WHEN NOT stopping THEN greatest(
        normal(-share_surprise(wins0, draws, wins1, 0.5 - bound)),
        normal(share_surprise(wins0, draws, wins1, 0.5 + bound))
    ) END AS p,
    games,
    draws / games AS draw_rate,
    completion,
    bound
FROM ends
ORDER BY round(abs(first_player_share - 0.5), 12), variant, pits, seeds, agent0, agent1, cell
