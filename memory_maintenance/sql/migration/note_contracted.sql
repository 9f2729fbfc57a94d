-- Notes what contract takes away. Parameters: table_name, contract: JSON.
UPDATE memory_maintenance.migration AS m
SET contract = %(contract)s::jsonb, contracted_at = clock_timestamp()
WHERE m.table_name = %(table_name)s
