-- Where a table stands by our own record. Parameters: table_name. Result: at most one row; type_map: JSON as
-- text. Locks: none.
SELECT
    m.type_map::text AS type_map,
    m.columns_added,
    m.constraints_added,
    m.indexes_added,
    m.former,
    m.started_at,
    m.backfilled_at,
    m.verified_at,
    m.contract,
    m.contracted_at
FROM memory_maintenance.migration AS m
WHERE m.table_name = %(table_name)s
