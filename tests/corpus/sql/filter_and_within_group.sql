SELECT count(*) FILTER (WHERE data_type = 'permanent'),
       mode() WITHIN GROUP (ORDER BY data_type)
FROM entity_facts;
SELECT data_type, key, count(*) FROM entity_facts GROUP BY GROUPING SETS ((data_type), (key));
SELECT DISTINCT ON (data_type) id
FROM entity_facts ORDER BY data_type, id;
