-- The columns that a new row must name: NOT NULL, and nothing fills them. None where a trigger may do that.
-- Parameters: oid: of the table. Result: name. Locks: none.
SELECT a.attname::text AS name
FROM pg_catalog.pg_attribute AS a
WHERE a.attrelid = %(oid)s::oid
    AND a.attnum > 0
    AND NOT a.attisdropped
    AND a.attnotnull
    AND NOT a.atthasdef
    AND a.attidentity::text = ''::text
    AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_trigger AS t
        -- For each row, before, of INSERT.
        WHERE t.tgrelid = a.attrelid AND NOT t.tgisinternal AND t.tgtype::int4 & 7 = 7
    )
ORDER BY a.attnum
