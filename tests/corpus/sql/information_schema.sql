SELECT data_type FROM information_schema.columns
WHERE table_name = 'entity_facts';
SELECT 1 FROM information_schema.columns AS c
WHERE c.table_name = 'entity_facts' AND c.column_name = 'data_type' AND c.data_type = 'text';
