SELECT * INTO old_facts FROM entity_facts;
SELECT data_type FROM old_facts;
SELECT id INTO few FROM entity_facts;
