-- What rollback keeps of a row, as jsonb; an empty object where nothing was put into our columns.
-- An expression on f. Slots: pairs: name, value and so on. Locks: none.
pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object({pairs}))
