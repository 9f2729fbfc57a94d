Q = """
SELECT f.key          -- not f.data_type: the caller knows it
  FROM entity_facts f
 WHERE EXISTS (
        SELECT 1 FROM information_schema.columns c
         WHERE c.table_name = f.source_table
           AND c.data_type = 'jsonb')
   AND f.data_type = 'observation'
"""


def keys(cur):
    cur.execute(Q)
    return [k for (k,) in cur]
