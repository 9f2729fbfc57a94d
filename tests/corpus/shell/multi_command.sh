set -e
psql --dbname=memory --command="UPDATE entity_facts SET confidence = 0 WHERE data_type = 'temporary'" \
  -c "SELECT count(*) FROM entity_facts WHERE data_type IS NULL" \
  -c "SELECT data_type FROM sensor_channels"
psql memory -c "\\copy (SELECT key, data_type FROM entity_facts) TO 'facts.csv' CSV HEADER"
