from psycopg2.extras import execute_values

SQL = """
INSERT INTO entity_facts (entity_id, key, value, data_type, confidence)
VALUES %s
ON CONFLICT (entity_id, key) DO UPDATE
   SET value = EXCLUDED.value,
       data_type = COALESCE(EXCLUDED.data_type, entity_facts.data_type)
"""

TEMPLATE = "(%(entity_id)s, %(key)s, %(value)s, %(data_type)s, %(confidence)s)"


def flush(cur, batch):
    rows = [
        {
            "entity_id": f.entity,
            "key": f.key,
            "value": f.value,
            "data_type": f.kind or "observation",
            "confidence": f.score,
        }
        for f in batch
    ]
    execute_values(cur, SQL, rows, template=TEMPLATE, page_size=200)
