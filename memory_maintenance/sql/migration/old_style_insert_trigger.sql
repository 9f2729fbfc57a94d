-- A trigger that notes INSERTs whose statement names data_type, or counts columns instead of naming them.
-- Slots: facts, name, function; level: STATEMENT, or ROW. Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} AFTER INSERT ON {facts}
FOR EACH {level} EXECUTE FUNCTION {function} ()
