-- How many rows a batch has computed, hence is to write. A fragment. Result: bigint.
(SELECT pg_catalog.count(*) FROM computed)
