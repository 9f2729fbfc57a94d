-- Forbids NULL in both axes. The validated CHECK proves it, so that nothing is scanned under this lock.
-- Slots: facts. Locks: ACCESS EXCLUSIVE, briefly.
ALTER TABLE {facts} ALTER COLUMN durability SET NOT NULL, ALTER COLUMN category SET NOT NULL
