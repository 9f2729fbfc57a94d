-- Whether there is a table, partitioned or not, and no partition, of that name.
-- Parameters: schema, table. Result: one row where there is: found bool. Locks: none.
SELECT true AS found
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %(schema)s AND c.relname = %(table)s AND c.relkind IN ('r', 'p') AND NOT c.relispartition
