-- Has a trigger of ours fire whatever session_replication_role says: for logical replication's apply workers and
-- pg_restore --disable-triggers, too. Slots: facts, name. Locks: SHARE ROW EXCLUSIVE, briefly.
ALTER TABLE {facts} ENABLE ALWAYS TRIGGER {name}
