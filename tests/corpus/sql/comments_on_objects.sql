COMMENT ON COLUMN entity_facts.data_type IS 'data_type is retired';
COMMENT ON TABLE entity_facts IS 'has data_type';
