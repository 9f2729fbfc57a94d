-- How many rows of a table have their old value kept aside. Parameters: table_name.
-- Result: backed_up: bigint. Locks: none.
SELECT count(*) AS backed_up FROM memory_maintenance.data_type_backup AS b WHERE b.table_name = %(table_name)s
