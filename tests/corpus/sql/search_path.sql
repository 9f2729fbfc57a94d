SET search_path TO agents, public;
SELECT data_type FROM ONLY entity_facts;
DELETE FROM ONLY (entity_facts) WHERE data_type = 'temporal';
