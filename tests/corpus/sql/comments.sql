-- data_type was here before the axes
SELECT id, /* not data_type, /* nested: data_type */ and on */ durability
FROM entity_facts -- WHERE data_type = 'permanent'
WHERE value <> '-- data_type';
