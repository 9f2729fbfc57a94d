-- The guard that refuses to promote moods (spec 7): a rise above short_term, or another category. Going down is free.
-- Slots: facts, name; columns: that a statement must name, or nothing; waiting: whether OLD is a mood that is not
-- classified yet; key: a name; paths, type_map: JSON; digest. Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} BEFORE UPDATE {columns} ON {facts}
FOR EACH ROW
WHEN (
    (OLD.category = 'mood' OR {waiting})
    AND (
        NEW.category IS DISTINCT FROM 'mood'
        OR (
            NEW.durability IN ('long_term', 'permanent')
            AND NEW.durability IS DISTINCT FROM OLD.durability
            AND OLD.durability IS DISTINCT FROM 'permanent'
        )
    )
)
EXECUTE FUNCTION memory_maintenance.refuse_promotion ({key}, {paths}, {type_map}, {digest})
