QUERY="SELECT data_type, count(*)
  FROM entity_facts
 GROUP BY data_type"
psql -c "$QUERY"
