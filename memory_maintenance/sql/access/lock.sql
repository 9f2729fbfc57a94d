-- Facts by their keys, locked so that they stay as they are read. Parameters: keys: an array. Slots: facts; key; key_type; lock: the
-- clause, nothing in a dry run. Result: key, pinned. Locks: the rows, in the order of their keys.
SELECT f.{key} AS key, coalesce(f.pinned, false) AS pinned
FROM {facts} AS f
WHERE f.{key} = ANY (%(keys)s::{key_type}[])
ORDER BY f.{key}
{lock}
