-- A trigger of the mapping for UPDATE (spec 2). It compares values, since ORMs write back what they read;
-- a classified row that changes neither axis nor data_type never reaches the function.
-- Slots: facts, name, function, type_map: JSON; key: a name, '' for none; default: of data_type; columns: those
-- that a statement must name, or nothing; more: a condition on top; form: a word that tells these apart.
-- Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} BEFORE UPDATE {columns} ON {facts}
FOR EACH ROW
WHEN (
    (
        OLD.durability IS DISTINCT FROM NEW.durability
        OR OLD.category IS DISTINCT FROM NEW.category
        OR OLD.data_type IS DISTINCT FROM NEW.data_type
        OR NEW.durability IS NULL
        OR NEW.category IS NULL
    )
    {more}
)
EXECUTE FUNCTION {function} ({type_map}, {key}, {default}, {form})
