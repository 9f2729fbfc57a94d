-- Notes again by which index the table is to be clustered. Slots: facts, name.
-- Locks: SHARE UPDATE EXCLUSIVE, briefly.
ALTER TABLE {facts} CLUSTER ON {name}
