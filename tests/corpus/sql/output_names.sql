SELECT durability AS data_type
FROM entity_facts ORDER BY data_type;
SELECT upper(key) AS data_type, count(*)
FROM entity_facts
WHERE data_type IS NOT NULL
GROUP BY data_type;
