-- What a run needs of our tables and this role lacks. Result: name text: of a table; lacking text: privileges.
-- Locks: none.
SELECT w.name, string_agg(w.privilege, ', ' ORDER BY w.privilege) AS lacking
FROM (
    VALUES
        ('schema_version', 'SELECT'),
        ('run', 'SELECT'),
        ('run', 'INSERT'),
        ('run', 'UPDATE'),
        ('adoption', 'SELECT'),
        ('adoption', 'INSERT'),
        ('event', 'SELECT'),
        ('event', 'INSERT')
) AS w (name, privilege)
JOIN pg_catalog.pg_namespace AS n ON n.nspname = 'memory_maintenance'
JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relname = w.name
WHERE NOT has_schema_privilege(n.oid, 'USAGE') OR NOT has_table_privilege(c.oid, w.privilege)
GROUP BY w.name
ORDER BY w.name
