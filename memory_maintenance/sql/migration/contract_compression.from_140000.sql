-- How data_type is compressed, where that was set. Parameters: oid.
-- Result: at most one row: compression text. Locks: none.
SELECT CASE a.attcompression WHEN 'p' THEN 'pglz' WHEN 'l' THEN 'lz4' END AS compression
FROM pg_catalog.pg_attribute AS a
WHERE a.attrelid = %(oid)s::oid AND a.attname = 'data_type' AND NOT a.attisdropped
