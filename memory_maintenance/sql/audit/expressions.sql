-- The column's own default, and generated columns computed from it. Up to PostgreSQL 14 a generated column
-- depends on the column itself and goes with it without a word; from 15 on its expression does.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition, why text; oid bigint
-- or NULL; owned bool. Locks: none.
WITH RECURSIVE {columns},
own AS (
    SELECT col.attrelid, a.attgenerated, d.oid, pg_get_expr(d.adbin, d.adrelid) AS expression
    FROM col
    JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = col.attrelid AND d.adnum = col.attnum
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = col.attrelid AND a.attnum = col.attnum
)
SELECT
    CASE own.attgenerated WHEN '' THEN 'default' ELSE 'generated column' END AS kind,
    format('%%I on %%s', %(column)s::text, own.attrelid::regclass) AS name,
    CASE own.attgenerated
        WHEN '' THEN format(
            'ALTER TABLE %%s ALTER COLUMN %%I SET DEFAULT %%s',
            own.attrelid::regclass, %(column)s::text, own.expression
        )
        ELSE 'GENERATED ALWAYS AS (' || own.expression || ')'
    END AS definition,
    CASE own.attgenerated
        WHEN '' THEN 'it is the default of '
        ELSE 'it computes '
    END || %(column)s::text AS why,
    NULL::bigint AS oid,
    own.attgenerated = '' AS owned
FROM own
-- A partition's copy of the parent's default says nothing new.
WHERE own.attrelid = %(oid)s::oid
    OR own.expression IS DISTINCT FROM (
        SELECT root.expression FROM own AS root WHERE root.attrelid = %(oid)s::oid
    )
UNION
SELECT
    'generated column',
    format('%%I on %%s', a.attname, a.attrelid::regclass),
    format(
        '%%I %%s GENERATED ALWAYS AS (%%s)%%s',
        a.attname,
        format_type(a.atttypid, a.atttypmod),
        pg_get_expr(d.adbin, d.adrelid),
        CASE a.attgenerated WHEN 's' THEN ' STORED' ELSE '' END
    ),
    'it is computed from ' || %(column)s::text,
    NULL,
    false
FROM dep
JOIN pg_catalog.pg_attrdef AS d
    ON (dep.classid = 'pg_catalog.pg_attrdef'::regclass AND d.oid = dep.objid)
    OR (
        dep.classid = 'pg_catalog.pg_class'::regclass
        AND dep.objsubid > 0
        AND d.adrelid = dep.objid
        AND d.adnum = dep.objsubid
    )
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
WHERE a.attgenerated <> '' AND a.attname <> %(column)s AND a.attinhcount = 0
ORDER BY 1, 2
