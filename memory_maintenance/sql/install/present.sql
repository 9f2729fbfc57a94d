-- Whether our schema is installed, and whether this role may use it. By catalog, since to_regclass raises
-- an error for a schema one may not use. Result: present bool, usable bool. Locks: none.
SELECT
    EXISTS (
        SELECT FROM pg_catalog.pg_class AS c
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = 'memory_maintenance' AND c.relname = 'schema_version'
    ) AS present,
    coalesce(has_schema_privilege(to_regnamespace('memory_maintenance')::oid, 'USAGE'), false) AS usable
