-- A single fact as a decision. Parameters: fact: its key. Slots: state; key; key_type; lock: decisions/lock, or
-- nothing. Result: decisions/state. Locks: those of the slot.
{state}
WHERE f.{key} = %(fact)s::{key_type}
{lock}
