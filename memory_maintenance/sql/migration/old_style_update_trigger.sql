-- A trigger that notes UPDATEs whose SET list names data_type, once a statement, whatever value they set: each
-- fails once the column is gone. Slots: facts, name, function. Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} AFTER UPDATE OF data_type ON {facts}
FOR EACH STATEMENT EXECUTE FUNCTION {function} ()
