readonly TABLE="entity_facts"
COLUMN=data_type
OTHER=sensors
psql -c "SELECT $COLUMN FROM ${TABLE}"
psql -c "SELECT data_type FROM $OTHER"
