-- Gives a constraint its comment back. Slots: facts, name; comment: a literal.
-- Locks: SHARE UPDATE EXCLUSIVE, briefly.
COMMENT ON CONSTRAINT {name} ON {facts} IS {comment}
