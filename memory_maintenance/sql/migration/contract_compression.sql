-- How data_type is compressed: before PostgreSQL 14 nobody could say. Parameters: oid.
-- Result: one row: compression text (NULL). Locks: none.
SELECT NULL::text AS compression WHERE %(oid)s::oid IS NOT NULL
