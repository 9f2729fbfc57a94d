-- What was recorded of a fact, oldest first.
-- Parameters: relation: the table's oid; fact_key: the key as text. Result: at, kind, reason, detail (JSON as text),
-- recorded_by. Locks: none.
SELECT e.at, e.kind, e.reason, e.detail::text AS detail, e.recorded_by
FROM memory_maintenance.event AS e
WHERE e.table_name = memory_maintenance.table_name(%(relation)s::oid)
    AND e.fact_key = %(fact_key)s::text
ORDER BY e.id
