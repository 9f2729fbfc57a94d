-- Keeps aside what is in our columns, in one key range; of equal rows of a table without a key, once.
-- What an earlier rollback kept, and nobody has taken back yet, stays beside it.
-- Parameters: first_key, last_key; table_name; columns: of the digest; those of kept. Slots: facts, key, key_type, row_key; kept: jsonb.
-- Result: rows bigint. Locks: none that others hold: what is written meanwhile is noted by a trigger.
WITH found AS MATERIALIZED (
    SELECT {row_key} AS fact_key, {kept} AS kept
    FROM {facts} AS f
    WHERE f.{key} >= %(first_key)s::{key_type} AND f.{key} <= %(last_key)s::{key_type}
),
written AS (
    INSERT INTO memory_maintenance.rollback_backup AS r (table_name, fact_key, started_at, columns, kept)
    SELECT DISTINCT ON (x.fact_key)
        %(table_name)s::text,
        x.fact_key,
        (SELECT m.started_at FROM memory_maintenance.migration AS m WHERE m.table_name = %(table_name)s::text),
        %(columns)s::text[],
        x.kept
    FROM found AS x
    WHERE x.kept <> '{{}}'::jsonb
    ON CONFLICT (table_name, fact_key, started_at) DO UPDATE
    SET columns = EXCLUDED.columns, kept = EXCLUDED.kept, at = DEFAULT
    RETURNING 1
)
SELECT pg_catalog.count(*) AS rows FROM written
