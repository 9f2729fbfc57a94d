psql -c "SELECT data_type FROM entity_facts WHERE data_type = "'$1'" AND true"
psql -c $'SELECT E\'a\\n\', data_type\nFROM entity_facts'
psql -c 'SELECT data_type FROM entity_facts WHERE data_type = '"'"'permanent'"'"
psql -c "SELECT \"data_type\" FROM \"entity_facts\""
