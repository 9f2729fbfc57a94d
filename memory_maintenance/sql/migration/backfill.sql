-- Classifies one key range: rows without axes get those of their data_type (spec 1), and where the map has
-- changed, rows that are where the former one put them. A value that the map lacks gets
-- long_term/observation and an event, by the trigger. That the map was changed is the operator's word, and a reason to
-- the guards of moods and decisions.
-- Parameters: first_key, last_key; type_map: JSON; reason: '' for none; those of due. Slots: facts, key, key_type; due:
-- migration/due_unclassified or due_moved.
-- Result: classified bigint. Locks: FOR NO KEY UPDATE on the rows that are due, in key order, then their update.
WITH reasons AS MATERIALIZED (
    SELECT
        pg_catalog.set_config('memory_maintenance.promotion_reason', x.reason, true) AS promotion,
        pg_catalog.set_config('memory_maintenance.reopen_reason', x.reason, true) AS reopening
    FROM (VALUES (%(reason)s::text)) AS x (reason)
),
locked AS MATERIALIZED (
    SELECT
        f.{key} AS key,
        (f.durability IS NULL OR f.category IS NULL) AS unclassified,
        coalesce(
            memory_maintenance.mapped_axes(%(type_map)s::jsonb, f.data_type::text),
            '["long_term", "observation"]'::jsonb
        ) AS axes
    FROM {facts} AS f
    WHERE f.{key} >= %(first_key)s::{key_type}
        AND f.{key} <= %(last_key)s::{key_type}
        AND ({due})
    ORDER BY f.{key}
    FOR NO KEY UPDATE OF f
),
written AS (
    UPDATE {facts} AS t
    SET
        durability = CASE WHEN l.unclassified THEN coalesce(t.durability, l.axes ->> 0) ELSE l.axes ->> 0 END,
        category = CASE WHEN l.unclassified THEN coalesce(t.category, l.axes ->> 1) ELSE l.axes ->> 1 END
    FROM locked AS l
    CROSS JOIN reasons AS x
    WHERE x.promotion = x.reopening -- set before the first row is written
        AND t.{key} = l.key
        AND t.{key} >= %(first_key)s::{key_type}
        AND t.{key} <= %(last_key)s::{key_type}
    RETURNING 1
)
SELECT pg_catalog.count(*) AS classified FROM written
