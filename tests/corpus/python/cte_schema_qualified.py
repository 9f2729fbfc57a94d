REPORT = """
WITH entity_facts AS (SELECT id, 'x' AS data_type FROM queue)
SELECT q.data_type, p.data_type
  FROM entity_facts q
  JOIN public.entity_facts p USING (id)
"""


def run(conn):
    return conn.execute(REPORT).fetchall()
