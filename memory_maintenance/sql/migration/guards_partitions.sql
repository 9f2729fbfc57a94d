-- The partitions of a table, at any depth, that TRUNCATE can be aimed at. Parameters: oid.
-- Result: schema, name text. Locks: ACCESS SHARE on them.
SELECT n.nspname::text AS schema, c.relname::text AS name
FROM pg_partition_tree(%(oid)s::oid::regclass) AS r
JOIN pg_catalog.pg_class AS c ON c.oid = r.relid::oid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE r.level > 0 AND c.relkind IN ('r', 'p')
ORDER BY n.nspname, c.relname
