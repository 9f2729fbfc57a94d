-- The guard that lowers facts as they are turned into moods (spec 7).
-- Slots: facts, name; columns: that a statement must name, or nothing; waiting: whether OLD is a mood that is not
-- classified yet; key: a name; paths, type_map: JSON; digest. Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} BEFORE UPDATE {columns} ON {facts}
FOR EACH ROW
WHEN (
    NEW.category = 'mood'
    AND NEW.durability NOT IN ('ephemeral', 'short_term')
    AND (OLD.category IS DISTINCT FROM 'mood' OR OLD.durability IS NULL)
    AND NOT ({waiting})
)
EXECUTE FUNCTION memory_maintenance.lower_mood ({key}, {paths}, {type_map}, {digest})
