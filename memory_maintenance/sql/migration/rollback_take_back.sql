-- Puts back, in one key range, what a rollback kept aside: only into columns that nobody has given a value since.
-- Parameters: first_key, last_key; table_name; type_map: JSON. Slots: facts, key, key_type, row_key; values:
-- expressions on f and r, each AS its column; changed: whether any is another than f has; assignments;
-- settled: migration/rollback_settled, or nothing.
-- Result: taken_back bigint: rows written. Locks: FOR NO KEY UPDATE on the rows that are due, in key order, then
-- their update.
WITH locked AS MATERIALIZED (
    SELECT f.{key} AS key, {values}
    FROM {facts} AS f
    JOIN memory_maintenance.rollback_backup AS r
        ON r.table_name = %(table_name)s::text AND r.fact_key = {row_key}
    WHERE f.{key} >= %(first_key)s::{key_type}
        AND f.{key} <= %(last_key)s::{key_type}
        AND ({changed})
    ORDER BY f.{key}
    FOR NO KEY UPDATE OF f
),
{settled}
written AS (
    UPDATE {facts} AS t
    SET {assignments}
    FROM locked AS l
    WHERE t.{key} = l.key
        AND t.{key} >= %(first_key)s::{key_type}
        AND t.{key} <= %(last_key)s::{key_type}
    RETURNING 1
)
SELECT pg_catalog.count(*) AS taken_back FROM written
