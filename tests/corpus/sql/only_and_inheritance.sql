SELECT data_type FROM ONLY entity_facts;
SELECT f.data_type FROM entity_facts * AS f;
SELECT data_type FROM entity_facts TABLESAMPLE SYSTEM (1);
UPDATE ONLY public.entity_facts AS f SET data_type = DEFAULT WHERE ctid = '(0,1)';
