CREATE FOREIGN TABLE remote_facts (id bigint, data_type text)
SERVER memory OPTIONS (schema_name 'public', table_name 'entity_facts');
