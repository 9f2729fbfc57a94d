QUERY = """
SELECT id,
       data_type
  FROM entity_facts
"""
KEY = row["data_type"]
