-- Forgets what contract kept aside and noted of a table, unless it has been contracted: these values then are
-- nowhere else. Parameters: table_name. Locks: none that others wait for.
WITH contracted AS (
    SELECT FROM memory_maintenance.migration AS m
    WHERE m.table_name = %(table_name)s AND m.contract IS NOT NULL
),
noted AS (
    DELETE FROM memory_maintenance.noted_key AS k
    WHERE k.table_name = %(table_name)s AND NOT EXISTS (SELECT FROM contracted)
)
DELETE FROM memory_maintenance.data_type_backup AS b
WHERE b.table_name = %(table_name)s AND NOT EXISTS (SELECT FROM contracted)
