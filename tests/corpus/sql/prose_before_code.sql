-- SELECT data_type FROM entity_facts;
/*
UPDATE entity_facts SET data_type = 'x';
*/
SELECT 1;
