pg_dump --table=entity_facts --exclude-column data_type
backfill --column data_type --table entity_facts
