-- Rows in all. Slots: facts. Result: rows bigint. Locks: none.
SELECT count(*) AS rows FROM {facts} AS f
