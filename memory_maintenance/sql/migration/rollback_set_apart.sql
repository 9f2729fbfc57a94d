-- Sets apart the old values whose rows are not found any more, in place of what an attempt before set apart.
-- Parameters: table_name; columns: of the digest. Slots: unmatched: migration/rollback_unmatched.
-- Result: unmatched bigint. Locks: none that others hold.
WITH before AS (
    DELETE FROM memory_maintenance.unmatched_backup AS u
    USING memory_maintenance.migration AS m
    WHERE u.table_name = %(table_name)s::text
        AND m.table_name = %(table_name)s::text
        AND u.started_at = m.started_at
),
apart AS (
    INSERT INTO memory_maintenance.unmatched_backup (table_name, started_at, fact_key, columns, kept)
    SELECT
        %(table_name)s::text,
        (SELECT m.started_at FROM memory_maintenance.migration AS m WHERE m.table_name = %(table_name)s::text),
        u.fact_key,
        %(columns)s::text[],
        pg_catalog.jsonb_build_object('data_type', u.data_type)
    FROM ({unmatched}) AS u
    RETURNING 1
)
SELECT pg_catalog.count(*) AS unmatched FROM apart
