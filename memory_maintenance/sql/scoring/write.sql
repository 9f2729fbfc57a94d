-- Stores scores, of facts that nobody has scored meanwhile and that are still what the model was told.
-- Parameters: scores: a JSON array of {{key, digest, importance}}; at: the server's clock. Slots: facts; key; key_type;
-- digest: scoring/digest.
-- Result: key; written: of each fact that was found so. Locks: FOR NO KEY UPDATE on those rows, in the order of keys,
-- then their update.
WITH scored AS MATERIALIZED (
    SELECT
        (s.score ->> 'key'::text)::{key_type} AS key,
        s.score ->> 'digest'::text AS digest,
        (s.score ->> 'importance'::text)::int2 AS importance
    FROM pg_catalog.jsonb_array_elements(%(scores)s::jsonb) AS s (score)
),
locked AS MATERIALIZED (
    SELECT f.{key} AS key, s.importance
    FROM {facts} AS f
    JOIN scored AS s ON s.key = f.{key}
    WHERE f.{key} = ANY (ARRAY(SELECT x.key FROM scored AS x))
        AND f.importance_scored_at IS NULL
        AND {digest} = s.digest
    ORDER BY f.{key}
    FOR NO KEY UPDATE OF f
),
written AS (
    UPDATE {facts} AS f
    SET importance = l.importance, importance_scored_at = %(at)s::timestamptz
    FROM locked AS l
    WHERE f.{key} = l.key
        AND f.{key} = ANY (ARRAY(SELECT x.key FROM scored AS x))
    RETURNING f.{key} AS key
)
SELECT l.key, w.key IS NOT NULL AS written
FROM locked AS l
LEFT JOIN written AS w ON w.key = l.key
ORDER BY l.key
