-- Puts a trigger of ours back in force that somebody had disabled. Slots: facts, name.
-- Locks: SHARE ROW EXCLUSIVE, briefly.
ALTER TABLE {facts} ENABLE TRIGGER {name}
