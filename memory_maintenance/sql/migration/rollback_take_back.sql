-- Puts back, in one key range, what a rollback kept aside: only into columns that nobody has given a value since.
-- The guards of moods and decisions let a fact become again what it was, and record where that is more than a mood may be.
-- Parameters: first_key, last_key; table_name; type_map: JSON. Slots: facts, key, key_type, row_key; values:
-- expressions on f and r, each AS its column; changed: whether any is another than f has; assignments;
-- settled: migration/rollback_settled, or nothing.
-- Result: taken_back bigint: rows written. Locks: FOR NO KEY UPDATE on the rows that are due, in key order, then
-- their update.
WITH reasons AS MATERIALIZED (
    SELECT
        pg_catalog.set_config('memory_maintenance.promotion_reason', x.reason, true) AS promotion,
        pg_catalog.set_config('memory_maintenance.reopen_reason', x.reason, true) AS reopening
    FROM (VALUES ('migrate-types: as it was before a rollback')) AS x (reason)
),
locked AS MATERIALIZED (
    SELECT f.{key} AS key, {values}
    FROM {facts} AS f
    -- An aggregate: a look-up for each row, whatever the planner makes of their number. Of what several rollbacks
    -- kept of a fact the last word counts.
    CROSS JOIN LATERAL (
        SELECT pg_catalog.jsonb_object_agg(e.key, e.value ORDER BY x.started_at) AS kept
        FROM memory_maintenance.rollback_backup AS x
        CROSS JOIN LATERAL pg_catalog.jsonb_each(x.kept) AS e (key, value)
        WHERE x.table_name = %(table_name)s::text AND x.fact_key = {row_key}
    ) AS r
    WHERE r.kept IS NOT NULL
        AND f.{key} >= %(first_key)s::{key_type}
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
    CROSS JOIN reasons AS x
    WHERE x.promotion = x.reopening -- set before the first row is written
        AND t.{key} = l.key
        AND t.{key} >= %(first_key)s::{key_type}
        AND t.{key} <= %(last_key)s::{key_type}
    RETURNING 1
)
SELECT pg_catalog.count(*) AS taken_back FROM written
