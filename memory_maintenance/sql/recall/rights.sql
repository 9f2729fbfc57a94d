-- What this role may do with the published plans. Result: one row: readable, writable; owned: whether it has the rights of
-- their owner. Locks: none.
SELECT
    has_schema_privilege(c.relnamespace, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AS readable,
    pg_has_role(c.relowner, 'USAGE') AS writable
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = 'memory_maintenance' AND c.relname = 'recall_plan'
