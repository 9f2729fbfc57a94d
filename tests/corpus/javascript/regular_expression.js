const line = /INSERT INTO entity_facts .*data_type/;
