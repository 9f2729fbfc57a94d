-- Gives a column back one of its settings. Slots: facts, column; setting: SET STATISTICS 5 and the like.
-- Locks: ACCESS EXCLUSIVE at most, briefly.
ALTER TABLE {facts} ALTER COLUMN {column} {setting}
