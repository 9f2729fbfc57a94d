-- Drops an index without keeping anybody waiting, such as what a failed build has left; not within a transaction. Slots: index.
-- Locks: SHARE UPDATE EXCLUSIVE on its table; readers and writers go on.
DROP INDEX CONCURRENTLY {index}
