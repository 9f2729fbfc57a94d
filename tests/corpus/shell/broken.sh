psql -c "SELECT data_type FROM entity_facts"
if [ -n "$x" ]; then
  psql -c "SELECT data_type FROM entity_facts
