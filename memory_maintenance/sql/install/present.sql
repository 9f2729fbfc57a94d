-- Whether our schema is installed, whether this role may use it and read which version it is, and whether its owner may
-- be trusted: whoever
-- owns a schema can replace what is in it, and maintenance executes that. Trusted are superusers, this role, the
-- owner of the facts table (whose triggers we execute as well) and, unless we are superuser, roles that we are
-- a member of. By catalog, since to_regclass raises an error for a schema one may not use.
-- Parameters: schema, table: of the facts, which need not exist. Result: one row; owner is NULL where there is
-- no such schema. Locks: none.
SELECT
    EXISTS (
        SELECT FROM pg_catalog.pg_class AS c
        WHERE c.relnamespace = n.oid AND c.relname = 'schema_version'
    ) AS present,
    coalesce(has_schema_privilege(n.oid, 'USAGE'), false) AS usable,
    EXISTS (
        SELECT FROM pg_catalog.pg_class AS c
        WHERE c.relnamespace = n.oid
            AND c.relname = 'schema_version'
            AND has_table_privilege(c.oid, 'SELECT')
    ) AS readable,
    o.rolname::text AS owner,
    coalesce(
        o.rolsuper
        OR o.rolname = current_user
        OR (NOT me.rolsuper AND pg_has_role(o.oid, 'MEMBER'))
        OR o.oid = (
            SELECT t.relowner
            FROM pg_catalog.pg_class AS t
            JOIN pg_catalog.pg_namespace AS s ON s.oid = t.relnamespace
            WHERE s.nspname = %(schema)s::text AND t.relname = %(table)s::text
        ),
        true
    ) AS trusted
FROM pg_catalog.pg_roles AS me
LEFT JOIN pg_catalog.pg_namespace AS n ON n.nspname = 'memory_maintenance'
LEFT JOIN pg_catalog.pg_roles AS o ON o.oid = n.nspowner
WHERE me.rolname = current_user
