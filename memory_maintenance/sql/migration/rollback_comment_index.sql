-- Gives an index its comment back. Slots: index: qualified; comment: a literal.
-- Locks: SHARE UPDATE EXCLUSIVE on the index, briefly.
COMMENT ON INDEX {index} IS {comment}
