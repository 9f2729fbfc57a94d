MOVE = """
WITH moved AS (DELETE FROM entity_facts WHERE confidence < 0.1 RETURNING *)
SELECT data_type, count(*) FROM moved GROUP BY data_type
"""
