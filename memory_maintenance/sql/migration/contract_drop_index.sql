-- Drops an index on data_type. Slots: name. Locks: ACCESS EXCLUSIVE on its table.
DROP INDEX {name} RESTRICT
