-- The guard that refuses TRUNCATE while a decision stands that is not to be reopened (spec 6), on the table or a partition.
-- Slots: facts, name; key: a name; paths, type_map: JSON; digest. Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} BEFORE TRUNCATE ON {facts}
FOR EACH STATEMENT EXECUTE FUNCTION memory_maintenance.refuse_truncation ({key}, {paths}, {type_map}, {digest})
