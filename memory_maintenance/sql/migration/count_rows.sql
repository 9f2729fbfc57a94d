-- Rows in all. Slots: facts. Result: rows bigint. Locks: none.
SELECT pg_catalog.count(*) AS rows FROM {facts} AS f
