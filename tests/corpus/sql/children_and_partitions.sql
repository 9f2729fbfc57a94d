CREATE TABLE facts_2024 PARTITION OF entity_facts FOR VALUES IN ('identity');
CREATE TABLE local_facts (host text) INHERITS (entity_facts);
CREATE TABLE loose (id int, data_type text);
SELECT data_type FROM facts_2024;
SELECT l.data_type FROM local_facts AS l;
SELECT data_type FROM loose;
