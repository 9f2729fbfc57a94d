-- Drops an index, with a partitioned table's those of its partitions; never what depends on it.
-- Slots: index: qualified. Locks: ACCESS EXCLUSIVE on the table and its partitions, briefly.
DROP INDEX {index} RESTRICT
