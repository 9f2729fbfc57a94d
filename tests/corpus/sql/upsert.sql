INSERT INTO public.entity_facts AS f (entity_id, key, value, data_type)
VALUES ($1, $2, $3, $4)
ON CONFLICT (entity_id, key) DO UPDATE
SET value = EXCLUDED.value,
    data_type = EXCLUDED.data_type
WHERE f.data_type <> 'permanent';
