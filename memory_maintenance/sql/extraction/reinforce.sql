-- A fact that is said again. Parameters: fact: its key; those of the assignments. Slots: facts; key; key_type;
-- assignments. Result: key; no row where a trigger suppresses it. Locks: the row's.
UPDATE {facts} AS f
SET {assignments}
WHERE f.{key} = %(fact)s::{key_type}
RETURNING f.{key} AS key
