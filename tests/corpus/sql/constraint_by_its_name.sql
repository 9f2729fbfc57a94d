ALTER TABLE entity_facts ADD CONSTRAINT chk_data_type
    CHECK (data_type IN ('permanent', 'identity', 'preference'));
SELECT 1 FROM pg_constraint WHERE conname = 'chk_data_type';
