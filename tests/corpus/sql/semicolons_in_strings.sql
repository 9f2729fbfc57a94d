SELECT ';', data_type /* ; */ -- ; data_type
FROM entity_facts;
DO $$ BEGIN PERFORM 1; UPDATE entity_facts SET data_type = ';'; END $$; SELECT data_type FROM sensors;
