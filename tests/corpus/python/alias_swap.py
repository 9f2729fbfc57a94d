SQL = """
    SELECT facts.data_type, t.data_type
      FROM tool_outputs AS facts
      JOIN entity_facts AS t ON t.source_id = facts.id
     WHERE facts.data_type = %(mime)s
"""


def outputs(cur, mime):
    cur.execute(SQL, {"mime": mime})
    return cur.fetchall()
