-- How often a decision was reopened. Parameters: relation: the table's oid; fact_key: the key as text.
-- Result: count. Locks: none.
SELECT pg_catalog.count(*) AS count
FROM memory_maintenance.event AS e
WHERE e.table_name = memory_maintenance.table_name(%(relation)s::oid)
    AND e.fact_key = %(fact_key)s::text
    AND e.kind = 'decision-reopened'::text
