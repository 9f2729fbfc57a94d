SQL="SELECT id FROM entity_facts WHERE true"
SQL="$SQL AND data_type = 'x'"
SQL+=" ORDER BY data_type"
psql -c "$SQL"
