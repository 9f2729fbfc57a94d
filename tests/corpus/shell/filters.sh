# entity_facts
WHERE="data_type = 'permanent'"
psql -c "DELETE FROM entity_facts WHERE $WHERE"
report --filter data_type=permanent --group-by=data_type
watch "psql -c 'SELECT data_type FROM entity_facts'"
echo "0 3 * * * psql -c \"DELETE FROM entity_facts WHERE data_type = 'temporal'\"" | crontab -
