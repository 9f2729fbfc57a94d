-- What is said of the column: its comment and its security labels.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition, why text; oid bigint
-- (NULL); owned bool. Locks: none.
WITH RECURSIVE {columns}
SELECT
    'comment' AS kind,
    format('%%I on %%s', col.attname, col.attrelid::regclass) AS name,
    format(
        'COMMENT ON COLUMN %%s.%%I IS %%L', col.attrelid::regclass, col.attname, d.description
    ) AS definition,
    'it describes ' || col.attname AS why,
    NULL::bigint AS oid,
    true AS owned
FROM col
JOIN pg_catalog.pg_description AS d
    ON d.classoid = 'pg_catalog.pg_class'::regclass
    AND d.objoid = col.attrelid
    AND d.objsubid = col.attnum
UNION ALL
SELECT
    'security label',
    format('%%I on %%s', col.attname, col.attrelid::regclass),
    format(
        'SECURITY LABEL FOR %%I ON COLUMN %%s.%%I IS %%L',
        s.provider, col.attrelid::regclass, col.attname, s.label
    ),
    'it labels ' || col.attname,
    NULL,
    false
FROM col
JOIN pg_catalog.pg_seclabel AS s
    ON s.classoid = 'pg_catalog.pg_class'::regclass
    AND s.objoid = col.attrelid
    AND s.objsubid = col.attnum
ORDER BY 1, 2
