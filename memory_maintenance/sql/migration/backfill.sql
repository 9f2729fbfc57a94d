-- Classifies one key range: rows without axes get those of their data_type (spec 1). A value that the map
-- lacks gets long_term/observation and an event, by the trigger.
-- Parameters: first_key, last_key; type_map: JSON. Slots: facts, key, key_type.
-- Result: classified bigint. Locks: FOR NO KEY UPDATE on unclassified rows, in key order, then their update.
WITH locked AS MATERIALIZED (
    SELECT
        f.{key} AS key,
        coalesce(
            memory_maintenance.mapped_axes(%(type_map)s::jsonb, f.data_type::text),
            '["long_term", "observation"]'::jsonb
        ) AS axes
    FROM {facts} AS f
    WHERE f.{key} >= %(first_key)s::{key_type}
        AND f.{key} <= %(last_key)s::{key_type}
        AND (f.durability IS NULL OR f.category IS NULL)
    ORDER BY f.{key}
    FOR NO KEY UPDATE OF f
),
written AS (
    UPDATE {facts} AS t
    SET
        durability = coalesce(t.durability, l.axes ->> 0),
        category = coalesce(t.category, l.axes ->> 1)
    FROM locked AS l
    WHERE t.{key} = l.key
        AND t.{key} >= %(first_key)s::{key_type}
        AND t.{key} <= %(last_key)s::{key_type}
    RETURNING 1
)
SELECT count(*) AS classified FROM written
