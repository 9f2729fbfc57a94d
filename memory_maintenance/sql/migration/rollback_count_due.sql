-- How many rows a batch of rollback would write in all. Slots: facts; due: a condition on f.
-- Parameters: those of due. Result: rows bigint. Locks: none.
SELECT pg_catalog.count(*) AS rows FROM {facts} AS f WHERE {due}
