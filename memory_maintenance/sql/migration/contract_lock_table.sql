-- Keeps everybody from the table, and from its partitions. Slots: facts. Locks: ACCESS EXCLUSIVE, to the end of
-- the transaction.
LOCK TABLE {facts} IN ACCESS EXCLUSIVE MODE
