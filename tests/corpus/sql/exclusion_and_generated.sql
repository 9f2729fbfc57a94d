ALTER TABLE entity_facts ADD COLUMN kind_label text GENERATED ALWAYS AS (upper(data_type)) STORED;
ALTER TABLE entity_facts
  ADD CONSTRAINT one_identity EXCLUDE USING btree (key WITH =) WHERE (data_type = 'identity'),
  ALTER COLUMN data_type SET STATISTICS 500;
