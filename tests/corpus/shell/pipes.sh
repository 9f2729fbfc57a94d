echo "SELECT data_type FROM entity_facts" | psql -At
printf 'SELECT data_type FROM entity_facts WHERE id = %s;\n' "$id" | psql
cat <<SQL | psql
DELETE FROM entity_facts WHERE data_type = 'temporal';
SQL
