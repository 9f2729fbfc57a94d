-- A trigger of the mapping for INSERT (spec 2). Slots: facts, name, function, type_map: JSON; key: a name, ''
-- for none; default: of data_type. Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} BEFORE INSERT ON {facts}
FOR EACH ROW EXECUTE FUNCTION {function} ({type_map}, {key}, {default})
