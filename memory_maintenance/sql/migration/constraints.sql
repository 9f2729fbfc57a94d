-- What constraints of certain names are. Parameters: oid; names text[].
-- Result: name text; kind text: as in pg_constraint.contype; columns text[]: those it is on, by name;
-- definition text. Locks: none.
SELECT
    c.conname::text AS name,
    c.contype::text AS kind,
    ARRAY(
        SELECT a.attname::text FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) ORDER BY a.attname
    ) AS columns,
    pg_catalog.pg_get_constraintdef(c.oid) AS definition
FROM pg_catalog.pg_constraint AS c
WHERE c.conrelid = %(oid)s::oid AND c.conname::text = ANY (%(names)s::text[])
ORDER BY c.conname
