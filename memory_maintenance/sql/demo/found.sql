-- What a demo would touch in this database, and whether an earlier demo left its mark.
--
-- Purpose: the look before the leap; the demo is never built over somebody's memory.
-- Params:  tables, text[]: names of the demo's tables and views in schema public.
-- Result:  database, role, comment (NULL where there is none), occupied: text[] of the names that are
--          taken, empty where all are free.
-- Locks:   none beyond the catalogs.

SELECT
    current_database() AS database,
    current_user AS role,
    shobj_description(d.oid, 'pg_database') AS comment,
    ARRAY(
        SELECT 'public.' || c.relname
        FROM pg_catalog.pg_class AS c
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = 'public' AND c.relname = ANY (%(tables)s::text[])
        UNION ALL
        SELECT 'schema ' || n.nspname
        FROM pg_catalog.pg_namespace AS n
        WHERE n.nspname = 'memory_maintenance'
        ORDER BY 1
    ) AS occupied
FROM pg_catalog.pg_database AS d
WHERE d.datname = current_database()
