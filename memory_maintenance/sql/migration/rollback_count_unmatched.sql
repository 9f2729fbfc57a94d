-- How many old values rollback_set_apart would set apart. Parameters: table_name.
-- Slots: unmatched: migration/rollback_unmatched. Result: unmatched bigint. Locks: none.
SELECT pg_catalog.count(*) AS unmatched FROM ({unmatched}) AS u
