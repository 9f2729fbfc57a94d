-- A trigger that notes the keys of rows whose old value may have changed. Its creation waits for all writers
-- before it, so that from its commit on nothing is missed.
-- Slots: facts, name; type_map: JSON; key: a name, '' for none; default: of data_type.
-- Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} AFTER INSERT OR UPDATE OR DELETE ON {facts}
FOR EACH ROW EXECUTE FUNCTION memory_maintenance.note_key ({type_map}, {key}, {default})
