-- Takes a default away that would hide whether a writer named the axis (spec 2).
-- Slots: facts, column. Locks: ACCESS EXCLUSIVE, briefly.
ALTER TABLE {facts} ALTER COLUMN {column} DROP DEFAULT
