-- How many keys of a table are noted. Parameters: table_name. Result: noted: bigint. Locks: none.
SELECT count(*) AS noted FROM memory_maintenance.noted_key AS k WHERE k.table_name = %(table_name)s
