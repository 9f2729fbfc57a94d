-- data_type moves away
UPDATE entity_facts SET durability = 'permanent' WHERE data_type = 'permanent';
ALTER TABLE entity_facts DROP COLUMN data_type;
