ALTER TABLE entity_facts RENAME TO facts;
SELECT data_type FROM facts;
