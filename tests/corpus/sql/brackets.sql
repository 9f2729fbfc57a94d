SELECT [data_type] FROM [entity_facts];
INSERT OR REPLACE INTO entity_facts (id, data_type) VALUES (?, ?);
