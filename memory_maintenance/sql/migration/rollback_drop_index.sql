-- Drops an index without keeping anybody waiting. Slots: index: qualified.
-- Locks: SHARE UPDATE EXCLUSIVE; waits for transactions that use it.
DROP INDEX CONCURRENTLY {index}
