CREATE TYPE data_type AS ENUM ('float', 'int');
SELECT 'float'::data_type, CAST(key AS public.data_type) FROM entity_facts;
SELECT t.name FROM data_type AS t;
CREATE TYPE reading AS (id int, data_type text);
