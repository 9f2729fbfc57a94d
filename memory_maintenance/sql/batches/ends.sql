-- The lowest and highest key of the table: what one pass covers. Keys that appear above meanwhile are the
-- next pass's.
-- Slots: facts, key. Result: first_key, last_key, both NULL for an empty table. Locks: none.
SELECT
    (SELECT f.{key} FROM {facts} AS f ORDER BY f.{key} LIMIT 1) AS first_key,
    (SELECT f.{key} FROM {facts} AS f ORDER BY f.{key} DESC LIMIT 1) AS last_key
