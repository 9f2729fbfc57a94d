SELECT has_column_privilege('entity_facts', 'data_type', 'SELECT');
SELECT set_config('audit.column', 'data_type', false);
CALL retype('data_type');
NOTIFY facts, 'data_type changed';
