#!/bin/bash
# weekly report, grouped by data_type
psql -X -q "$PGURI" <<'SQL'
SELECT data_type, count(*)
  FROM entity_facts
 GROUP BY data_type
 ORDER BY 2 DESC;
SQL
