-- Row security policies that name the column, those of other tables included.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition, why text; oid bigint;
-- owned bool. Locks: none.
WITH RECURSIVE {columns}
SELECT DISTINCT
    'policy' AS kind,
    format('%%I on %%s', p.polname, p.polrelid::regclass) AS name,
    format(
        'CREATE POLICY %%I ON %%s AS %%s FOR %%s TO %%s',
        p.polname,
        p.polrelid::regclass,
        CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
        CASE p.polcmd
            WHEN 'r' THEN 'SELECT'
            WHEN 'a' THEN 'INSERT'
            WHEN 'w' THEN 'UPDATE'
            WHEN 'd' THEN 'DELETE'
            ELSE 'ALL'
        END,
        (
            SELECT string_agg(
                CASE WHEN r.oid = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(r.oid)) END, ', '
                ORDER BY r.place
            )
            FROM unnest(p.polroles) WITH ORDINALITY AS r (oid, place)
        )
    )
    || coalesce(' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')', '')
    || coalesce(' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '') AS definition,
    'its condition reads ' || %(column)s::text AS why,
    p.oid::bigint AS oid,
    false AS owned
FROM dep
JOIN pg_catalog.pg_policy AS p
    ON dep.classid = 'pg_catalog.pg_policy'::regclass AND p.oid = dep.objid
ORDER BY 2
