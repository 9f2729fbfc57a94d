-- Rows by old value, before or after. Slots: facts; due: a condition, those that backfill has to write.
-- Parameters: those of due. Result: data_type text or NULL, rows bigint, due bigint. Locks: none.
SELECT
    f.data_type::text AS data_type,
    pg_catalog.count(*) AS rows,
    pg_catalog.count(*) FILTER (WHERE {due}) AS due
FROM {facts} AS f
GROUP BY f.data_type::text
ORDER BY rows DESC, data_type
