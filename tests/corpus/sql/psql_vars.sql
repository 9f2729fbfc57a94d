\set ON_ERROR_STOP on
\set kind 'temporary'
SELECT count(*) AS before FROM entity_facts WHERE data_type = :'kind' \gset
\echo removing :before rows
DELETE FROM entity_facts WHERE data_type = :'kind';
\copy (SELECT id, data_type FROM entity_facts_archive) TO 'archive.csv' CSV HEADER
