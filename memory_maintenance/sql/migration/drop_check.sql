-- Drops a CHECK that has served. Slots: facts, name. Locks: ACCESS EXCLUSIVE, briefly.
ALTER TABLE {facts} DROP CONSTRAINT {name}
