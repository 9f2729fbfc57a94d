-- Pins facts, or lets them go; they were locked before. Parameters: keys: an array; pinned. Slots: facts; key; key_type.
-- Result: key. Locks: the rows.
UPDATE {facts} AS f
SET pinned = %(pinned)s
WHERE f.{key} = ANY (%(keys)s::{key_type}[])
RETURNING f.{key} AS key
