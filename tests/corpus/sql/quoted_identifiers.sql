SELECT "data_type" FROM "entity_facts";
SELECT "Data_Type" FROM entity_facts;
SELECT DATA_TYPE FROM ENTITY_FACTS;
SELECT "DATA_TYPE" FROM entity_facts;
SELECT data_type FROM "Entity_Facts";
