count=$(psql -At -c "SELECT count(*) FROM entity_facts WHERE data_type = '$(cat kind)'")
old=`psql -At -c 'SELECT data_type FROM entity_facts'`
