-- A trigger that notes INSERTs whose statement names data_type, once a statement.
-- Slots: facts, name, function. Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} AFTER INSERT ON {facts}
FOR EACH STATEMENT EXECUTE FUNCTION {function} ()
