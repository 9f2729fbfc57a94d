-- Holds old rows against a CHECK. Slots: facts, name. Locks: SHARE UPDATE EXCLUSIVE, for one scan.
ALTER TABLE {facts} VALIDATE CONSTRAINT {name}
