-- A trigger that notes the keys of rows whose old value may have changed. Its creation waits for all writers
-- before it, so that from its commit on nothing is missed.
-- Slots: facts, name; key: a name, '' for none; columns: of the digest of a row without one, JSON.
-- Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} AFTER INSERT OR UPDATE OR DELETE ON {facts}
FOR EACH ROW EXECUTE FUNCTION memory_maintenance.note_key ({key}, {columns})
