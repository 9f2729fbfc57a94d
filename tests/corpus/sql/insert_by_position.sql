INSERT INTO entity_facts VALUES (1, 1, 'name', 'Ada', 'identity');
INSERT INTO sensors VALUES (1, 'data_type');
INSERT INTO entity_facts DEFAULT VALUES;
