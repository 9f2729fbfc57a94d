-- Functions whose body was parsed when they were made, and that use the table, but don't name the column: there are
-- none before PostgreSQL 14.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition text; oid bigint; query text;
-- no row. Locks: none.
WITH RECURSIVE {columns}
SELECT
    '' AS kind,
    '' AS name,
    '' AS definition,
    0::bigint AS oid,
    '' AS query
FROM dep
WHERE false
