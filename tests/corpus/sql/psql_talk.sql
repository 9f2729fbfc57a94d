\echo the data_type of entity_facts is counted
\prompt 'which data_type? ' kind
SELECT count(*) FROM entity_facts WHERE data_type = :'kind';
