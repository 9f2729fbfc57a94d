-- Drops a trigger of ours, to make it anew with another map. Slots: facts, name.
-- Locks: ACCESS EXCLUSIVE, briefly.
DROP TRIGGER IF EXISTS {name} ON {facts}
