-- Another search path until the end of the transaction, or until the next of these.
-- Parameters: search_path: quoted identifiers. Result: one row. Locks: none.
SELECT pg_catalog.set_config('search_path'::text, %(search_path)s::text, true)
