-- A condition of the trigger for UPDATE while backfill is at work: a row that is being classified as the map says
-- need not reach the function, and all that backfill writes is. The map stands in the condition, which the server
-- reads anew for each statement: too dear for later, when nothing is unclassified.
-- Slots: type_map: JSON. Locks: none.
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
