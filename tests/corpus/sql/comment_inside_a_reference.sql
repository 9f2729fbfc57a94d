SELECT f./* which */data_type
FROM entity_facts /* data_type */ f;
