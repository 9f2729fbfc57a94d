CREATE PUBLICATION facts FOR TABLE entity_facts (id, data_type);
GRANT SELECT (id, data_type), UPDATE (data_type) ON entity_facts TO agent;
REVOKE SELECT (data_type) ON sensors FROM agent;
COMMENT ON COLUMN public.entity_facts.data_type IS 'retired';
COMMENT ON COLUMN sensors.data_type IS 'float or int';
