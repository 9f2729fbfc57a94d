-- The guard that lowers moods as they are inserted (spec 7), after data_type was mapped and before it is written back.
-- The server reads a WHEN anew for each statement: this one is as short as can be, and the function sees to the rest.
-- Slots: facts, name; key: a name; paths, type_map: JSON; digest. Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} BEFORE INSERT ON {facts}
FOR EACH ROW WHEN (NEW.category = 'mood')
EXECUTE FUNCTION memory_maintenance.lower_mood ({key}, {paths}, {type_map}, {digest})
