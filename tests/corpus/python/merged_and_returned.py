UPSERT = """
INSERT INTO public.entity_facts AS f (key, data_type) VALUES (%s, %s)
ON CONFLICT (key) DO UPDATE SET data_type = EXCLUDED.data_type
WHERE f.data_type IS DISTINCT FROM EXCLUDED.data_type
RETURNING data_type
"""
