"""The view `statistics` in SQL: merged from the files' rows, and worked out from games' rows."""

from pipelines.measures import MEASURES, Measure
from pipelines.tallies import SMALLEST

_TOTALS = [measure for measure in MEASURES if measure.merging == "total"]
_COUNTS = [measure for measure in MEASURES if measure.merging == "counts"]
_SAMPLES = [measure for measure in MEASURES if measure.merging == "sample"]
_SMALLEST = f"QUALIFY row_number() OVER (PARTITION BY {{keys}} ORDER BY value) <= {SMALLEST}"

COLUMNS = ("cell", "seed", "games", *(measure.name for measure in MEASURES))
"""The columns of `stored.statistics`, of which each row stands for some games of a cell."""

GUARD = 4
"""Standard errors by which a sample may fall short of the games that there are."""

_DISTINCT = f"""
-- How many different games there are, from the {SMALLEST} smallest digests (k) of n games. A digest
-- is uniform, so with u the k-th smallest as a part of 2^64, each of the others stands for 1/u
-- different games, and for m/u games where m games have it: d = (k - 1)/u and s = sum(m)/u are
-- unbiased, and what s estimates, n, is known. The regression estimate d - b (s - n) with
-- b = sum(m)/sum(m^2), the covariance of d and s over the variance of s, has the least variance:
-- none where all games differ, and never more than d, whose relative error is 1/sqrt(k). Where s
-- falls short of n by more than {GUARD} of its standard errors, sqrt((1 - u) sum(m^2))/u, the
-- sample lacks a game that very many repeat, b is worth nothing and d stands alone; so a game that
-- the sample lacks brings an error of {GUARD}/sqrt(k) at the worst. The result is held within what
-- is certain: the games outside the sample are at least one, and at most all different.
CREATE MACRO distinct_estimate(k, n, sampled, squares, last, last_games) AS
    list_transform(
        [{{
            'u': last / 2.0::DOUBLE ** 64,
            's': (sampled - last_games)::DOUBLE,
            'q': (squares - last_games * last_games)::DOUBLE
        }}],
        lambda e: round(greatest(k + 1, least(k + n - sampled, (k - 1) / e.u - CASE
            WHEN n - e.s / e.u > {GUARD} * sqrt((1 - e.u) * e.q) / e.u THEN 0
            ELSE e.s / e.q * (e.s / e.u - n)
        END)))::BIGINT
    )[1];
"""

MACROS = (
    _DISTINCT
    + """
-- The least value that so many percent of the games do not exceed.
CREATE MACRO quantile_of(counts, percent) AS
    list_filter(counts, lambda c: 100 * c.upto >= percent * counts[-1].upto)[1].value;
-- The number of games with one of some values.
CREATE MACRO games_with(counts, wanted) AS
    coalesce(list_sum(list_transform(
        list_filter(counts, lambda c: list_contains(wanted, c.value)), lambda c: c.games
    )), 0)::BIGINT;
-- The sum of the games' values.
CREATE MACRO sum_of(counts) AS
    list_sum(list_transform(counts, lambda c: c.games::HUGEINT * c.value))::HUGEINT;
-- The sum of the squares of the games' values.
CREATE MACRO squares_of(counts) AS
    list_sum(list_transform(counts, lambda c: c.games::HUGEINT * c.value * c.value))::HUGEINT;
"""
)


def merged_view() -> str:
    """Return the macros, and the view `statistics`, a row a cell, over `stored.statistics`."""
    totals = ", ".join(f"sum({m.name})::BIGINT AS {m.name}" for m in _TOTALS)
    counts = ",\n".join(f"{m.name} AS ({_merged_counts(m)})" for m in _COUNTS)
    columns = [f"t.{m.name}" if m in _TOTALS else m.name for m in MEASURES if m not in _SAMPLES]
    joins = " ".join(f"LEFT JOIN {m.name} USING (cell)" for m in [*_COUNTS, *_SAMPLES])
    return f"""{MACROS}
CREATE VIEW statistics AS
WITH spans AS MATERIALIZED (FROM stored.statistics),
totals AS (SELECT cell, sum(games)::BIGINT AS games, {totals} FROM spans GROUP BY cell),
{counts},
digests AS (
    SELECT
        cell, count(*) AS k, sum(games)::BIGINT AS sampled, sum(games::DOUBLE * games) AS squares,
        max(value) AS last, arg_max(games, value) AS last_games
    FROM (
        FROM (
            SELECT cell, c.value AS value, sum(c.games)::BIGINT AS games
            FROM (SELECT cell, unnest(digests) AS c FROM spans) GROUP BY ALL
        )
        {_SMALLEST.format(keys="cell")}
    )
    GROUP BY cell
)
SELECT
    cell, t.games,
    CASE WHEN sampled = t.games THEN k
        ELSE distinct_estimate(k, t.games, sampled, squares, last, last_games)
    END AS distinct_games,
    sampled = t.games AS distinct_exact,
    {", ".join(columns)}
FROM totals t {joins};
"""


def _merged_counts(measure: Measure) -> str:
    name = measure.name
    return f"""
    SELECT cell, list({{'value': value, 'games': games, 'upto': upto}} ORDER BY value) AS {name}
    FROM (
        SELECT *, sum(games) OVER (PARTITION BY cell ORDER BY value)::BIGINT AS upto
        FROM (
            SELECT cell, c.value AS value, sum(c.games)::BIGINT AS games
            FROM (SELECT cell, unnest({name}) AS c FROM spans) GROUP BY ALL
        )
    )
    GROUP BY cell"""


def from_rows(table: str) -> str:
    """Return a query over games' rows with the columns of `stored.statistics`."""
    totals = ", ".join(f"({m.sql})::BIGINT AS {m.name}" for m in _TOTALS)
    counts = ",\n".join(f"{m.name} AS ({_counted(m, table)})" for m in [*_COUNTS, *_SAMPLES])
    joins = " ".join(f"JOIN {m.name} USING (cell, seed)" for m in [*_COUNTS, *_SAMPLES])
    return f"""
WITH totals AS (
    SELECT cell, seed, count(*) AS games, {totals} FROM {table} GROUP BY cell, seed
),
{counts}
SELECT {", ".join(COLUMNS)} FROM totals {joins}"""


def _counted(measure: Measure, table: str) -> str:
    few = _SMALLEST.format(keys="cell, seed") if measure.merging == "sample" else ""
    return f"""
    SELECT cell, seed, list({{'value': value, 'games': games}} ORDER BY value) AS {measure.name}
    FROM (
        FROM (
            SELECT cell, seed, {measure.sql} AS value, count(*) AS games
            FROM {table} GROUP BY ALL
        )
        {few}
    )
    GROUP BY cell, seed"""
