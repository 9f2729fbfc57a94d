CREATE TRIGGER typed
AFTER UPDATE OF confidence, data_type ON entity_facts
FOR EACH ROW
WHEN (OLD.data_type IS DISTINCT FROM NEW.data_type)
EXECUTE FUNCTION typed();
CREATE TRIGGER typed AFTER UPDATE OF data_type ON sensors
FOR EACH ROW EXECUTE FUNCTION typed();
