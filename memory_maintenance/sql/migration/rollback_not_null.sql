-- Forbids NULL in data_type again. A validated CHECK proves it, so that nothing is scanned under this lock.
-- Slots: facts. Locks: ACCESS EXCLUSIVE, briefly.
ALTER TABLE {facts} ALTER COLUMN data_type SET NOT NULL
