-- A trigger of the mapping for UPDATE (spec 2). It compares values, since ORMs write back what they read;
-- a classified row that changes neither axis nor data_type never reaches the function, nor does one that is
-- being classified as the map says, which backfill does with each row.
-- Slots: facts, name, function, type_map: JSON; key: a name, '' for none; default: of data_type.
-- Locks: SHARE ROW EXCLUSIVE, briefly.
CREATE TRIGGER {name} BEFORE UPDATE ON {facts}
FOR EACH ROW
WHEN (
    (
        OLD.durability IS DISTINCT FROM NEW.durability
        OR OLD.category IS DISTINCT FROM NEW.category
        OR OLD.data_type IS DISTINCT FROM NEW.data_type
        OR NEW.durability IS NULL
        OR NEW.category IS NULL
    )
    AND NOT coalesce(
        OLD.durability IS NULL
        AND OLD.category IS NULL
        AND OLD.data_type IS NOT DISTINCT FROM NEW.data_type
        AND pg_catalog.jsonb_build_array(NEW.durability, NEW.category) = CASE
            WHEN NEW.data_type IS NULL THEN {type_map}::jsonb -> 'null'
            ELSE {type_map}::jsonb -> 'values' -> NEW.data_type::text
        END,
        false
    )
)
EXECUTE FUNCTION {function} ({type_map}, {key}, {default})
