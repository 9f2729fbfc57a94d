SELECT cron.schedule('purge', '0 3 * * *', $$DELETE FROM entity_facts WHERE data_type = 'temporary'$$);
SELECT * FROM dblink('dbname=memory', 'SELECT data_type FROM entity_facts') AS d(kind text);
SELECT query_to_xml('SELECT data_type FROM entity_facts', true, false, '');
SELECT length('SELECT data_type FROM entity_facts');
