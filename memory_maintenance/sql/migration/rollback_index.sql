-- The indexes of a table and of its partitions by name. Parameters: oid; names text[].
-- Result: schema, name text; valid, partitioned bool. Locks: none.
SELECT
    n.nspname::text AS schema,
    c.relname::text AS name,
    i.indisvalid AND i.indisready AS valid,
    c.relkind = 'I' AS partitioned
FROM pg_catalog.pg_index AS i
JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE (
        i.indrelid = %(oid)s::oid
        OR i.indrelid IN (SELECT t.relid FROM pg_partition_tree(%(oid)s::oid::regclass) AS t)
    )
    AND c.relname::text = ANY (%(names)s::text[])
ORDER BY c.relname
