SELECT data_type FROM entity_facts_archived;
SELECT data_type FROM old_entity_facts;
SELECT data_type FROM entity_fact;
SELECT my_data_type, data_types FROM entity_facts;
