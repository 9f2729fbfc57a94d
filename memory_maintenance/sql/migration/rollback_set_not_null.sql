-- Forbids NULL again in a column that forbade it before us. Slots: facts, column.
-- Locks: ACCESS EXCLUSIVE, for one scan where nothing proves it.
ALTER TABLE {facts} ALTER COLUMN {column} SET NOT NULL
