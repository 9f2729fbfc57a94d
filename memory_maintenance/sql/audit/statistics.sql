-- Extended statistics on the column: PostgreSQL drops them with it, without a word.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition, why text; oid bigint;
-- owned bool. Locks: none.
WITH RECURSIVE {columns}
SELECT DISTINCT
    'statistics' AS kind,
    format('%%I.%%I', n.nspname, s.stxname) AS name,
    pg_get_statisticsobjdef(s.oid) AS definition,
    'they are kept on ' || %(column)s::text AS why,
    s.oid::bigint AS oid,
    false AS owned
FROM dep
JOIN pg_catalog.pg_statistic_ext AS s
    ON dep.classid = 'pg_catalog.pg_statistic_ext'::regclass AND s.oid = dep.objid
JOIN pg_catalog.pg_namespace AS n ON n.oid = s.stxnamespace
ORDER BY 2
