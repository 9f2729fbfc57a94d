-- Adds one of our columns. Nullable or with a constant default: nothing is rewritten, nothing is scanned.
-- Slots: facts, column, definition. Locks: ACCESS EXCLUSIVE, briefly.
ALTER TABLE {facts} ADD COLUMN {column} {definition}
