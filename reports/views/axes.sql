-- The view `axes` for queries that compare cells: for each cell and each key in which cells of the
-- datasets differ its value, and `rest`, which cells have in common that differ in this key at most.
--
-- Keys are the variant, pits, seeds, the agents as a pair, opening plies, and those rule keys in which
-- cells of one variant on one board differ: the others go with the variant or the board.
CREATE VIEW axes AS
WITH named AS (
    SELECT cell, variant, pits, seeds, board_layout, e.key, e.value::VARCHAR AS value
    FROM cells, json_each(to_json(cells)) AS e
    WHERE e.key NOT IN (
        'cell', 'variant', 'pits', 'seeds', 'board_layout', 'agent0', 'agent1', 'opening_plies',
        'n_games', 'stopping'
    )
),

free AS (
    SELECT DISTINCT key
    FROM (
        SELECT key FROM named GROUP BY variant, pits, seeds, board_layout, key
        HAVING count(DISTINCT coalesce(value, '')) > 1
    )
),

settings AS (
    SELECT
        cell,
        unnest(['variant', 'pits', 'seeds', 'layout', 'agents', 'opening_plies']) AS key,
        unnest([
            variant, pits::VARCHAR, coalesce(seeds::VARCHAR, 'uneven'), board_layout::VARCHAR,
            concat(agent0, ' – ', agent1), opening_plies::VARCHAR
        ]) AS value
    FROM cells
    UNION ALL
    SELECT cell, regexp_replace(key, '_', '.'), trim(value, '"') FROM named JOIN free USING (key)
),

varied AS (
    SELECT * FROM settings
    QUALIFY count(DISTINCT coalesce(value, '')) OVER (PARTITION BY key) > 1
)

SELECT
    one.cell, one.key, one.value,
    coalesce(
        md5(string_agg(concat(other.key, '=', other.value), chr(10) ORDER BY other.key)), ''
    ) AS rest
FROM varied AS one
LEFT JOIN varied AS other ON one.cell = other.cell AND one.key <> other.key
GROUP BY one.cell, one.key, one.value
