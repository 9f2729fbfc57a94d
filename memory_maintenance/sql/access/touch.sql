-- Records that facts, locked before, were retrieved (spec 4): never an earlier instant than is stored.
-- Parameters: keys: an array; at. Slots: facts; key; key_type. Result: key. Locks: the rows.
UPDATE {facts} AS f
SET last_accessed_at = greatest(f.last_accessed_at, %(at)s::timestamptz),
    access_count = least(coalesce(f.access_count, 0)::int8 + 1::int8, 2147483647::int8)::int4
WHERE f.{key} = ANY (%(keys)s::{key_type}[])
RETURNING f.{key} AS key
