-- Forgets a migration of which nothing is left in the table. Parameters: table_name.
WITH backup AS (
    DELETE FROM memory_maintenance.data_type_backup AS b WHERE b.table_name = %(table_name)s
),
noted AS (
    DELETE FROM memory_maintenance.noted_key AS k WHERE k.table_name = %(table_name)s
),
written AS (
    DELETE FROM memory_maintenance.old_style_write AS w WHERE w.table_name = %(table_name)s
)
DELETE FROM memory_maintenance.migration AS m WHERE m.table_name = %(table_name)s
