-- A single fact, locked, as an obligation.
-- Parameters: those of obligations/state; fact: its key. Slots: state; key; key_type.
-- Result: obligations/state. Locks: FOR NO KEY UPDATE on the row.
{state}
WHERE f.{key} = %(fact)s::{key_type}
FOR NO KEY UPDATE OF f
