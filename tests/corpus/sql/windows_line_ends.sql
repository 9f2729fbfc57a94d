SELECT id,
       data_type -- data_type
FROM entity_facts
WHERE data_type = 'permanent';
