-- Silences a trigger that can't be dropped while somebody reads the table. Slots: facts, name.
-- Locks: SHARE ROW EXCLUSIVE, briefly.
ALTER TABLE {facts} DISABLE TRIGGER {name}
