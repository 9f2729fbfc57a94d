SELECT (f).data_type FROM entity_facts AS f;
SELECT (s).data_type FROM sensors AS s;
SELECT data_type(f) FROM entity_facts AS f;
