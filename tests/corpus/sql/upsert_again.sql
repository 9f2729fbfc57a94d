INSERT INTO entity_facts AS t (entity_id, key, value, data_type)
SELECT s.entity_id, s.key, s.value, s.data_type
  FROM import_staging s
 WHERE s.data_type <> 'skip'
ON CONFLICT (entity_id, key) DO UPDATE
   SET data_type = EXCLUDED.data_type
 WHERE t.data_type <> 'permanent'
RETURNING t.id, t.data_type;

INSERT INTO fact_snapshots (fact_id, data_type)
SELECT f.id, upper(f.data_type) FROM entity_facts f
ON CONFLICT (fact_id) DO UPDATE SET data_type = EXCLUDED.data_type;
