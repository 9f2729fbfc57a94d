-- Gives an expression of an index its statistics target back. Slots: index: qualified; number: of its column;
-- target. Locks: SHARE UPDATE EXCLUSIVE on the index, briefly.
ALTER INDEX {index} ALTER COLUMN {number} SET STATISTICS {target}
