-- Drops what a build that failed has left; it fails within a transaction. Slots: index.
-- Locks: SHARE UPDATE EXCLUSIVE on its table; readers and writers go on.
DROP INDEX CONCURRENTLY {index}
