-- An index on an axis; it fails within a transaction. Slots: name, table, axis.
-- Locks: SHARE UPDATE EXCLUSIVE; readers and writers go on, and it waits for the transactions of others.
CREATE INDEX CONCURRENTLY {name} ON {table} ({axis})
