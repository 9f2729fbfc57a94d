-- Drops a column, which rewrites nothing; never what depends on it. Slots: facts, column.
-- Locks: ACCESS EXCLUSIVE, briefly.
ALTER TABLE {facts} DROP COLUMN {column} RESTRICT
