facts=$(psql -At -c "SELECT json_agg(json_build_object('t', data_type)) FROM entity_facts")
sensors=$(psql -At -c "SELECT json_agg(json_build_object('t', data_type)) FROM sensors")
echo "$sensors" | jq '.data_type'
jq '.data_type' <<< "$facts"
