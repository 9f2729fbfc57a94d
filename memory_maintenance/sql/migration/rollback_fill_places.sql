-- Puts data_type back in a range of places of a table without a key: the way back, for the rows that have no old
-- value kept aside. Those of which a writer said NULL since the column is back are noted and left alone.
-- Parameters: first_key, last_key; table_name. Slots: facts, key, key_type; row_key: as rows are
-- noted; backup_key: as their old values are kept.
-- Result: restored (0), by_way_back bigint: rows written. Locks: FOR NO KEY UPDATE on the rows that are due, then
-- their update.
WITH filling AS MATERIALIZED (
    SELECT pg_catalog.set_config('memory_maintenance.filling', 'on', true) AS filling
),
locked AS MATERIALIZED (
    SELECT
        f.{key} AS key,
        memory_maintenance.data_type_of(f.durability::text, f.category::text) AS data_type
    FROM {facts} AS f
    LEFT JOIN LATERAL (
        SELECT x.fact_key
        FROM memory_maintenance.data_type_backup AS x
        WHERE x.table_name = %(table_name)s::text AND x.fact_key = {backup_key}
        LIMIT 1 -- a look-up for each row, whatever the planner makes of their number
    ) AS b ON true
    WHERE f.{key} >= %(first_key)s::{key_type}
        AND f.{key} <= %(last_key)s::{key_type}
        AND f.data_type IS NULL
        AND f.durability IS NOT NULL
        AND b.fact_key IS NULL
        AND {row_key} NOT IN (
            SELECT n.fact_key FROM memory_maintenance.noted_key AS n WHERE n.table_name = %(table_name)s::text
        )
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
    RETURNING 1
)
SELECT 0::int8 AS restored, pg_catalog.count(*) AS by_way_back FROM written
