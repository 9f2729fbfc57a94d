-- The importance of a fact that nobody scored (spec 4). A fragment of SET. Parameters: importance; as_of.
importance = CASE
    WHEN f.importance_scored_at IS NULL THEN %(importance)s::pg_catalog.int2 ELSE f.importance
END,
importance_scored_at = coalesce(f.importance_scored_at, %(as_of)s::timestamptz)
