-- Whether this role may keep what is rejected. Result: allowed. Locks: none.
SELECT has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'INSERT') AS allowed
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = 'memory_maintenance' AND c.relname = 'rejected'
