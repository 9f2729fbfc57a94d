#!/bin/bash
while IFS='|' read -r id data_type; do
  echo "$id"
done < <(psql -At -c "SELECT id, data_type FROM entity_facts")
