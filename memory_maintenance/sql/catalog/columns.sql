-- The columns of a table.
-- Parameters: oid. Result: name text, type text (without modifier), full_type text, not_null bool,
-- default text or NULL. Locks: none.
SELECT
    a.attname::text AS name,
    format_type(a.atttypid, NULL) AS type,
    format_type(a.atttypid, a.atttypmod) AS full_type,
    a.attnotnull AS not_null,
    pg_get_expr(d.adbin, d.adrelid) AS "default"
FROM pg_catalog.pg_attribute AS a
LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = %(oid)s::oid AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
