-- Forbids NULL in data_type again, by a constraint of its former name (PostgreSQL 18). A validated CHECK proves it,
-- so that nothing is scanned under this lock. Slots: facts, name. Locks: ACCESS EXCLUSIVE, briefly.
ALTER TABLE {facts} ADD CONSTRAINT {name} NOT NULL data_type
