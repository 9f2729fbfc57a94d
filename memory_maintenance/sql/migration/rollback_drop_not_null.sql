-- Allows NULL again in a column that allowed it before us. Slots: facts, column.
-- Locks: ACCESS EXCLUSIVE, briefly.
ALTER TABLE {facts} ALTER COLUMN {column} DROP NOT NULL
