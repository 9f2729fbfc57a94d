SELECT data_type FROM entity_facts
UNION
SELECT kind FROM notes
ORDER BY data_type;

SELECT kind AS data_type FROM notes
UNION ALL
SELECT data_type FROM entity_facts
ORDER BY data_type;
