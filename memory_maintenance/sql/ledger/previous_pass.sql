-- The previous pass (spec 3): the highest as_of of the runs that computed confidence for the whole table.
-- Parameters: table_name. Result: at text, '-infinity' for none. Locks: none.
SELECT coalesce(max(r.as_of), '-infinity'::timestamptz)::text AS at
FROM memory_maintenance.run AS r
WHERE r.table_name = %(table_name)s AND r.computed_confidence
