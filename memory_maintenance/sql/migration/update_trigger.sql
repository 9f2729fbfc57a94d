-- A trigger of the mapping for UPDATE (spec 2). It compares values, since ORMs write back what they read;
-- a classified row that changes neither axis nor data_type never reaches the function.
-- Slots: facts, name, function, type_map: JSON; key: a name. Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} BEFORE UPDATE ON {facts}
FOR EACH ROW
WHEN (
    OLD.durability IS DISTINCT FROM NEW.durability
    OR OLD.category IS DISTINCT FROM NEW.category
    OR OLD.data_type IS DISTINCT FROM NEW.data_type
    OR NEW.durability IS NULL
    OR NEW.category IS NULL
)
EXECUTE FUNCTION {function} ({type_map}, {key})
