psql -c "SELECT data_type FROM entity_facts"
psql "$DB" -tAc 'SELECT count(*) FROM entity_facts WHERE data_type IS NULL'
psql --command="UPDATE entity_facts SET data_type = 'permanent' WHERE id = $ID"
psql -c "SELECT data_type FROM sensors"
