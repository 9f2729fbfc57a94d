def overview(cur):
    cur.execute(
        """
        SELECT a.name,
               a.data_type   AS attr_type,
               f.data_type  AS fact_type
          FROM entity_facts f
          JOIN attributes a ON a.key = f.key
         WHERE a.data_type = 'text'
           AND f.data_type IS NOT NULL
        """
    )
    return cur.fetchall()
