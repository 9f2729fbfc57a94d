-- For a table without a key, whose rows go by a digest: which row gets which of the old values kept aside. Equal
-- rows with equal axes get the values that were theirs in any order; what an earlier attempt has put back counts.
-- Some WITH queries; the last, chosen, has place tid, data_type, way_back text: of each row that has no data_type
-- yet and whose digest is among those kept.
-- Parameters: table_name; type_map: JSON. Slots: facts, row_key; held: the column on f, or NULL where it isn't
-- back yet. Locks: none.
kept AS MATERIALIZED (
    SELECT b.fact_key AS digest, b.data_type
    FROM memory_maintenance.data_type_backup AS b
    WHERE b.table_name = %(table_name)s::text
),
present AS MATERIALIZED (
    SELECT
        f.ctid AS place,
        {row_key} AS digest,
        f.durability::text AS durability,
        f.category::text AS category,
        {held} AS data_type
    FROM {facts} AS f
    CROSS JOIN LATERAL (
        SELECT FROM memory_maintenance.data_type_backup AS x
        WHERE x.table_name = %(table_name)s::text AND x.fact_key = {row_key}
        LIMIT 1 -- a look-up for each row, whatever the planner makes of their number
    ) AS b
),
missing AS (
    SELECT k.digest, k.data_type FROM kept AS k
    EXCEPT ALL
    SELECT p.digest, p.data_type FROM present AS p WHERE p.data_type IS NOT NULL
),
offered AS (
    SELECT
        m.digest,
        m.data_type,
        m.axes,
        pg_catalog.row_number() OVER (PARTITION BY m.digest, m.axes ORDER BY m.data_type NULLS LAST) AS turn
    FROM (
        SELECT
            x.digest, x.data_type, memory_maintenance.mapped_axes(%(type_map)s::jsonb, x.data_type) AS axes
        FROM missing AS x
    ) AS m
),
asking AS (
    SELECT
        p.place,
        p.digest,
        pg_catalog.jsonb_build_array(p.durability, p.category) AS axes,
        memory_maintenance.data_type_of(p.durability, p.category) AS way_back,
        pg_catalog.row_number() OVER (PARTITION BY p.digest, p.durability, p.category ORDER BY p.place) AS turn
    FROM present AS p
    WHERE p.data_type IS NULL
),
both_sides AS (
    SELECT o.digest, o.axes, o.turn, true AS offers, o.data_type, NULL::tid AS place, NULL::text AS way_back
    FROM offered AS o
    UNION ALL
    SELECT a.digest, a.axes, a.turn, false, NULL, a.place, a.way_back FROM asking AS a
),
-- Grouped and not joined, since a join would be planned by an estimate of few rows.
chosen AS MATERIALIZED (
    SELECT
        g.place,
        CASE WHEN g.offers THEN g.data_type ELSE g.way_back END AS data_type,
        g.way_back
    FROM (
        SELECT
            (pg_catalog.array_agg(s.place) FILTER (WHERE NOT s.offers))[1] AS place,
            (pg_catalog.array_agg(s.way_back) FILTER (WHERE NOT s.offers))[1] AS way_back,
            (pg_catalog.array_agg(s.data_type) FILTER (WHERE s.offers))[1] AS data_type,
            pg_catalog.bool_or(s.offers) AS offers
        FROM both_sides AS s
        GROUP BY s.digest, s.axes, s.turn
    ) AS g
    WHERE g.place IS NOT NULL
)
