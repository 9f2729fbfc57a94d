-- Gives confidence back what decay computed it from, in one key range: where nobody else has written it since.
-- confidence_written follows, so that a later decay goes on as if nothing had been. Nothing else changes.
-- Parameters: first_key, last_key. Slots: facts, key, key_type; due: migration/rollback_faded; confidence_type.
-- Result: rows bigint. Locks: FOR NO KEY UPDATE on the rows that are due, in key order, then their update.
WITH locked AS MATERIALIZED (
    SELECT f.{key} AS key, f.confidence_base::{confidence_type} AS base
    FROM {facts} AS f
    WHERE f.{key} >= %(first_key)s::{key_type}
        AND f.{key} <= %(last_key)s::{key_type}
        AND {due}
    ORDER BY f.{key}
    FOR NO KEY UPDATE OF f
),
written AS (
    UPDATE {facts} AS t
    SET confidence = l.base, confidence_written = l.base
    FROM locked AS l
    WHERE t.{key} = l.key
        AND t.{key} >= %(first_key)s::{key_type}
        AND t.{key} <= %(last_key)s::{key_type}
    RETURNING 1
)
SELECT pg_catalog.count(*) AS rows FROM written
