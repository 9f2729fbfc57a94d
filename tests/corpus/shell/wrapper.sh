q() { psql -At "$DB" -c "$1"; }
types=$(q "SELECT DISTINCT data_type FROM entity_facts")
q 'ALTER TABLE entity_facts DROP COLUMN data_type'
q "SELECT data_type FROM information_schema.columns WHERE table_name = 'entity_facts'"
