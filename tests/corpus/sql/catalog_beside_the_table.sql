SELECT f.data_type, c.data_type
FROM entity_facts AS f, information_schema.columns AS c
WHERE c.table_name = 'entity_facts';
SELECT a.data_type FROM information_schema.attributes AS a;
SELECT data_type FROM information_schema.columns JOIN pg_class ON relname = table_name;
