SELECT id, data_type, 'live' AS src FROM entity_facts
UNION ALL
SELECT id, data_type, 'archive' FROM entity_facts_archive
UNION ALL
SELECT id, data_type, 'draft' FROM fact_drafts;
