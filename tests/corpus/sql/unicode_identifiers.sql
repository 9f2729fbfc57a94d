SELECT U&"data_type" FROM entity_facts;
SELECT U&"d\0061ta_type" FROM entity_facts;
SELECT data_type FROM U&"entity\005Ffacts";
