-- An index of a partitioned table that has no partition's index yet: nothing is scanned.
-- Slots: name, table, axis. Locks: SHARE on the partitioned table, briefly.
CREATE INDEX {name} ON ONLY {table} ({axis})
