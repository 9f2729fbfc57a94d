-- Drops the retired column, which rewrites nothing. Never CASCADE. Slots: facts. Locks: ACCESS EXCLUSIVE, briefly.
ALTER TABLE {facts} DROP COLUMN data_type RESTRICT
