ANALYZE entity_facts (data_type);
ALTER TABLE entity_facts ALTER COLUMN data_type TYPE text USING data_type::text;
CREATE SEQUENCE types OWNED BY entity_facts.data_type;
SECURITY LABEL ON COLUMN entity_facts.data_type IS 'x';
ALTER TABLE ONLY public.entity_facts ALTER data_type DROP DEFAULT;
VACUUM (ANALYZE) sensors (data_type);
