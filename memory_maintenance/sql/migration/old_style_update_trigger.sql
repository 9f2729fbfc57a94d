-- A trigger that notes UPDATEs whose SET list names data_type, whatever value they set: each fails once the
-- column is gone. Slots: facts, name, function; level: STATEMENT, or ROW. Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} AFTER UPDATE OF data_type ON {facts}
FOR EACH {level} EXECUTE FUNCTION {function} ()
