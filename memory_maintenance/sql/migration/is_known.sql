-- Whether the migration of a table is written down. Parameters: table_name.
-- Result: one row where it is: known bool. Locks: none.
SELECT true AS known FROM memory_maintenance.migration AS m WHERE m.table_name = %(table_name)s
