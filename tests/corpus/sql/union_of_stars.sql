SELECT data_type FROM (SELECT * FROM sensors UNION ALL SELECT * FROM entity_facts) AS u;
SELECT data_type FROM (SELECT * FROM sensors UNION ALL SELECT * FROM rooms) AS u;
