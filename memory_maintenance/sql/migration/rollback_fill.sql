-- Puts data_type back in one key range: only in rows that have none yet. Those of which a writer said NULL since the
-- column is back are noted and left alone.
-- Parameters: first_key, last_key; table_name; type_map: JSON. Slots: facts, key, key_type, row_key; data_type:
-- migration/rollback_data_type.
-- Result: restored, by_way_back bigint: rows written. Locks: FOR NO KEY UPDATE on the rows that are due, in key
-- order, then their update.
WITH filling AS MATERIALIZED (
    SELECT pg_catalog.set_config('memory_maintenance.filling', 'on', true) AS filling
),
locked AS MATERIALIZED (
    SELECT
        f.{key} AS key,
        {data_type} AS data_type,
        memory_maintenance.data_type_of(f.durability::text, f.category::text) AS way_back
    FROM {facts} AS f
    LEFT JOIN LATERAL (
        SELECT x.fact_key, x.data_type
        FROM memory_maintenance.data_type_backup AS x
        WHERE x.table_name = %(table_name)s::text AND x.fact_key = {row_key} AND x.place = 1::int4
        LIMIT 1 -- a look-up for each row, whatever the planner makes of their number
    ) AS b ON true
    WHERE f.{key} >= %(first_key)s::{key_type}
        AND f.{key} <= %(last_key)s::{key_type}
        AND f.data_type IS NULL
        AND {data_type} IS NOT NULL
        AND {row_key} NOT IN (
            SELECT n.fact_key FROM memory_maintenance.noted_key AS n WHERE n.table_name = %(table_name)s::text
        )
    ORDER BY f.{key}
    FOR NO KEY UPDATE OF f
),
written AS (
    UPDATE {facts} AS t
    SET data_type = l.data_type
    FROM locked AS l
    CROSS JOIN filling AS w
    WHERE w.filling = 'on' -- set before the first row is written, and read by the table's trigger
        AND t.{key} = l.key
        AND t.{key} >= %(first_key)s::{key_type}
        AND t.{key} <= %(last_key)s::{key_type}
    RETURNING l.data_type <> l.way_back AS restored
)
SELECT
    pg_catalog.count(*) FILTER (WHERE w.restored) AS restored,
    pg_catalog.count(*) FILTER (WHERE NOT w.restored) AS by_way_back
FROM written AS w
