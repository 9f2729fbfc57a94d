ALTER TABLE entity_facts ADD COLUMN IF NOT EXISTS data_type varchar(20);
ALTER TABLE entity_facts ALTER COLUMN data_type SET DEFAULT 'observation';
ALTER TABLE entity_facts ADD COLUMN kind text GENERATED ALWAYS AS (lower(data_type)) STORED;
ALTER TABLE entity_facts RENAME COLUMN data_type TO old_type;
ALTER TABLE sensors RENAME COLUMN kind TO data_type;
ALTER TABLE entity_facts_archive DROP COLUMN data_type;
