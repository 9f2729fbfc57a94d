-- The map by which the stored facts were classified. Parameters: table_name.
-- Result: type_map text: JSON; no row before the first migration. Locks: none.
SELECT m.type_map::text AS type_map FROM memory_maintenance.migration AS m WHERE m.table_name = %(table_name)s
