-- Raises an error where an index that contract took away is not back, or not valid.
-- Parameters: oid; names text[]. Locks: none.
SELECT memory_maintenance.refuse('the index ' || u.name || ' is not back: build it, or have the plan written anew')
FROM unnest(%(names)s::text[]) AS u (name)
WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_index AS i
    JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
    WHERE c.relname::text = u.name
        AND i.indisvalid
        AND (
            i.indrelid = %(oid)s::oid
            OR i.indrelid IN (SELECT t.relid FROM pg_partition_tree(%(oid)s::oid::regclass) AS t)
        )
)
