CREATE POLICY no_identity ON entity_facts FOR SELECT TO agent_ro
    USING (data_type <> 'identity');
CREATE STATISTICS ef_stats (dependencies) ON data_type, key FROM entity_facts;
CREATE PUBLICATION facts_pub FOR TABLE entity_facts (id, key, data_type);
GRANT SELECT (id, data_type) ON entity_facts TO reporting;
CREATE POLICY own_args ON tool_arguments USING (data_type <> 'secret');
