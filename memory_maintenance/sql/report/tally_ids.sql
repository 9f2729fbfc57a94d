-- The first keys behind each count of report/tallies.
-- Parameters: those of facts/projection; listed: how many of each. Slots: projected: the projection of all facts.
-- Result: kind, durability, category, band, importance as there; keys: in order. Locks: none.
-- The first of a group are among the first of what it consists of: one sort serves all three, and no more keys are
-- kept than may be listed.
WITH banded AS (
    SELECT
        p.key,
        p.durability,
        p.category,
        pg_catalog.width_bucket(p.value, '{{0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9}}'::float8[]) AS band,
        p.effective_importance AS importance
    FROM ({projected}) AS p
    OFFSET 0
),
numbered AS (
    SELECT
        b.key,
        b.durability,
        b.category,
        b.band,
        b.importance,
        pg_catalog.row_number() OVER (
            PARTITION BY b.band, b.importance, b.durability::text COLLATE "C", b.category::text COLLATE "C"
            ORDER BY b.key
        ) AS place
    FROM banded AS b
),
kept AS (
    SELECT n.key, n.durability, n.category, n.band, n.importance
    FROM numbered AS n
    WHERE n.place <= %(listed)s::int8
)
SELECT
    3 AS kind,
    k.durability::text AS durability,
    k.category::text AS category,
    NULL::int4 AS band,
    NULL::int4 AS importance,
    (pg_catalog.array_agg(k.key ORDER BY k.key))[:%(listed)s::int4] AS keys
FROM kept AS k
GROUP BY k.durability, k.category
UNION ALL
SELECT 5, NULL, NULL, k.band, NULL, (pg_catalog.array_agg(k.key ORDER BY k.key))[:%(listed)s::int4]
FROM kept AS k
GROUP BY k.band
UNION ALL
SELECT 6, NULL, NULL, NULL, k.importance::int4, (pg_catalog.array_agg(k.key ORDER BY k.key))[:%(listed)s::int4]
FROM kept AS k
GROUP BY k.importance
