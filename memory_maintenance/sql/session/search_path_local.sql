-- Nothing but the system's own functions and operators until the end of the transaction, whatever path the
-- database or the role sets by default. No function could do this: it would be looked up in that path.
-- Locks: none.
SET LOCAL search_path = pg_catalog, pg_temp
