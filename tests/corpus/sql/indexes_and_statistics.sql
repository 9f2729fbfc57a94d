CREATE INDEX facts_by_type ON entity_facts USING btree (data_type);
CREATE INDEX sure_facts ON entity_facts (confidence) WHERE data_type = 'permanent';
CREATE INDEX facts_by_lower ON entity_facts (lower(data_type));
CREATE STATISTICS facts_types ON entity_id, data_type FROM entity_facts;
CREATE INDEX sensors_by_type ON sensors (data_type);
