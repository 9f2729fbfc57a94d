-- Publishes how recall works on a table. Parameters: the columns of recall_plan. Locks: the row.
INSERT INTO memory_maintenance.recall_plan AS p (
    table_name, digest, config_hash, facts_path, by_text, by_index, by_distance, iterative,
    min_similarity, min_text_similarity, recording, recording_free
)
VALUES (
    %(table_name)s, %(digest)s, %(config_hash)s, %(facts_path)s, %(by_text)s, %(by_index)s, %(by_distance)s,
    %(iterative)s, %(min_similarity)s, %(min_text_similarity)s, %(recording)s, %(recording_free)s
)
ON CONFLICT (table_name) DO UPDATE SET
    digest = excluded.digest,
    config_hash = excluded.config_hash,
    facts_path = excluded.facts_path,
    by_text = excluded.by_text,
    by_index = excluded.by_index,
    by_distance = excluded.by_distance,
    iterative = excluded.iterative,
    min_similarity = excluded.min_similarity,
    min_text_similarity = excluded.min_text_similarity,
    recording = excluded.recording,
    recording_free = excluded.recording_free,
    published_at = DEFAULT,
    published_by = DEFAULT
WHERE p.digest <> excluded.digest
