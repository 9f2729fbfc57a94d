SELECT DISTINCT ON (data_type) id, string_agg(data_type, ',' ORDER BY data_type) OVER ()
FROM entity_facts ORDER BY data_type NULLS LAST;
SELECT mode() WITHIN GROUP (ORDER BY data_type), array_agg(DISTINCT f.data_type)
FROM entity_facts AS f TABLESAMPLE system (10)
GROUP BY GROUPING SETS ((data_type), ()) LIMIT 3 FOR UPDATE OF f;
