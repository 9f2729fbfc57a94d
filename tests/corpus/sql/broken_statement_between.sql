SELECT data_type FROM sensors;
SELEC data_type FORM entity_facts WHERE;
SELECT data_type FROM entity_facts;
