CREATE TEMP TABLE before AS
SELECT id, data_type FROM entity_facts;
SELECT data_type, count(*) FROM before GROUP BY 1;
CREATE TEMP TABLE everything AS TABLE entity_facts;
