QUERY = """
WITH entity_facts AS (SELECT id, kind AS data_type FROM sensors)
SELECT data_type FROM entity_facts
"""
