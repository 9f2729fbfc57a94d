-- Publications whose column list or row filter names the column: they have neither before PostgreSQL 15.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition, why text; oid bigint;
-- owned bool; no row. Locks: none.
WITH RECURSIVE {columns}
SELECT
    'publication' AS kind,
    '' AS name,
    '' AS definition,
    '' AS why,
    NULL::bigint AS oid,
    false AS owned
FROM dep
WHERE false
