ARCHIVE = """
WITH moved AS (
    DELETE FROM entity_facts
     WHERE data_type = 'temporary' AND expires_at < now()
    RETURNING *
)
INSERT INTO entity_facts_archive (id, entity_id, key, value, data_type, archived_at)
SELECT m.id, m.entity_id, m.key, m.value, m.data_type, now()
  FROM moved m
"""


def archive(conn):
    with conn.transaction():
        return conn.execute(ARCHIVE).rowcount
