-- Facts that a writer changed between examining and locking, as they are now.
-- Parameters: those of obligations/state; keys. Slots: state; key; key_type.
-- Result: obligations/state, in the order of keys. Locks: none; the rows are locked already.
{state}
WHERE f.{key} = ANY (%(keys)s::{key_type}[]) AND f.category::text = 'obligation'::text
ORDER BY f.{key}
