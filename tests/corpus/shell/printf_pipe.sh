table=entity_facts
printf 'SELECT data_type FROM %s WHERE id = %d;\n' "$table" "$1" | psql memory
pg_dump -t entity_facts memory > facts.sql
sed -i 's/data_type/kind/' facts.sql
