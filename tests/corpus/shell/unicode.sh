psql -c "SELECT 'äöü€😀', data_type FROM entity_facts" # data_type ü
