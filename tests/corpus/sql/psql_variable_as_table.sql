\set facts entity_facts
SELECT data_type FROM :facts;
SELECT data_type FROM :"facts" AS f;
