-- How many rows a dry run counts as written. A fragment. Result: bigint.
(SELECT pg_catalog.count(*) FROM written)
