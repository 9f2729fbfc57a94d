-- Indexes that go with data_type and come back with it. Parameters: oids bigint[].
-- Result: schema, name, definition text; comment text; valid bool; tablespace text: NULL for the database's;
-- clustered bool. Locks: none.
SELECT
    n.nspname::text AS schema,
    c.relname::text AS name,
    pg_get_indexdef(c.oid) AS definition,
    obj_description(c.oid, 'pg_class') AS comment,
    i.indisvalid AS valid,
    s.spcname::text AS tablespace,
    i.indisclustered AS clustered
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_index AS i ON i.indexrelid = c.oid
LEFT JOIN pg_catalog.pg_tablespace AS s ON s.oid = c.reltablespace
WHERE c.oid::bigint = ANY (%(oids)s::bigint[])
ORDER BY c.relname, c.oid
