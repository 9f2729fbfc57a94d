SELECT data_type FROM sensors WHERE note = 'entity_facts';
INSERT INTO sensors (data_type) VALUES ('entity_facts');
