-- Keeps everybody from a table, and from its partitions. Slots: relation. Locks: ACCESS EXCLUSIVE, to the end of
-- the transaction.
LOCK TABLE {relation} IN ACCESS EXCLUSIVE MODE
