Q = """
SELECT s.data_type, s.n
  FROM (SELECT data_type, count(*) AS n
          FROM entity_facts
         GROUP BY data_type) AS s
 WHERE s.n > %s
"""


def top(cur, n):
    cur.execute(Q, [n])
    return cur.fetchall()
