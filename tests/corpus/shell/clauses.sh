where() { echo "WHERE data_type = 'permanent'"; }
psql -c "DELETE FROM entity_facts $(where)"
