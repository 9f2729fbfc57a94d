A = 'SELECT "data_type" FROM "public"."entity_facts"'
B = "SELECT \"data_type\" FROM \"entity_facts\""
D = 'SELECT DATA_TYPE FROM ENTITY_FACTS'
