-- How many rows contract would keep the old value of, and of how many. Slots: facts; differs:
-- migration/contract_differs. Result: rows, backed_up: bigint. Locks: none.
SELECT
    pg_catalog.count(*) AS rows,
    pg_catalog.count(*) FILTER (WHERE {differs}) AS backed_up
FROM {facts} AS f
