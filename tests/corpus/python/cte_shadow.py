REPORT = """
WITH entity_facts AS (
    SELECT id, payload->>'t' AS data_type
      FROM staging_events
)
SELECT data_type, count(*)
  FROM entity_facts
 GROUP BY data_type
"""


def run(cur):
    cur.execute(REPORT)
    return dict(cur.fetchall())
