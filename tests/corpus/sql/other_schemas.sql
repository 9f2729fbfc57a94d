SELECT data_type FROM agents.entity_facts;
SELECT agents.entity_facts.data_type FROM agents.entity_facts;
UPDATE tenant_7.entity_facts_archive SET data_type = NULL;
