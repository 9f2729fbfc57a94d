-- Publications whose column list or row filter names the column.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition, why text; oid bigint;
-- owned bool. Locks: none.
WITH RECURSIVE {columns}
SELECT DISTINCT
    'publication' AS kind,
    format('%%I on %%s', p.pubname, r.prrelid::regclass) AS name,
    format('ALTER PUBLICATION %%I ADD TABLE %%s', p.pubname, r.prrelid::regclass)
    || coalesce(
        ' (' || (
            SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
            FROM pg_catalog.pg_attribute AS a
            WHERE a.attrelid = r.prrelid AND a.attnum = ANY (r.prattrs::int2[])
        ) || ')',
        ''
    )
    || coalesce(' WHERE (' || pg_get_expr(r.prqual, r.prrelid) || ')', '') AS definition,
    CASE
        WHEN dep.attnum = ANY (r.prattrs::int2[]) THEN 'it publishes '
        ELSE 'its row filter reads '
    END || %(column)s::text AS why,
    p.oid::bigint AS oid,
    false AS owned
FROM dep
JOIN pg_catalog.pg_publication_rel AS r
    ON dep.classid = 'pg_catalog.pg_publication_rel'::regclass AND r.oid = dep.objid
JOIN pg_catalog.pg_publication AS p ON p.oid = r.prpubid
ORDER BY 2
