-- Gives an axis its default, where nothing maps data_type (spec 2).
-- Slots: facts, column, value. Locks: ACCESS EXCLUSIVE, briefly.
ALTER TABLE {facts} ALTER COLUMN {column} SET DEFAULT {value}
