-- Gives a column its comment back. Slots: facts_column: the qualified column; comment: a literal.
-- Locks: SHARE UPDATE EXCLUSIVE, briefly.
COMMENT ON COLUMN {facts_column} IS {comment}
