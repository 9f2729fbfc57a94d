-- A trigger that notes the rows written while rollback is at work, for it to look at again.
-- Slots: facts, name; event: INSERT or UPDATE; condition: WHEN (...), or nothing; key: a name, '' for none;
-- columns: of the digest, JSON.
-- Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} AFTER {event} ON {facts}
FOR EACH ROW {condition} EXECUTE FUNCTION memory_maintenance.note_row ({key}, {columns})
