SELECT (SELECT data_type) FROM entity_facts;
SELECT (SELECT max(x) FROM (VALUES (data_type), (key)) AS v (x)) FROM entity_facts;
