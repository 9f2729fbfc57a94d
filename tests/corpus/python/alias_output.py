def legacy_view(cur):
    cur.execute(
        """
        SELECT f.id,
               CASE WHEN f.durability = 'long' THEN 'permanent' ELSE 'observation' END AS data_type
          FROM entity_facts f
        """
    )
    return cur.fetchall()
