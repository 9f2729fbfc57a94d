SELECT id FROM entity_facts WHERE data_type = ANY ('{permanent,identity}');
SELECT id FROM entity_facts WHERE data_type IS NOT DISTINCT FROM $1::varchar;
SELECT id FROM entity_facts WHERE (data_type, key) IN (SELECT data_type, key FROM sensors);
SELECT id FROM entity_facts WHERE data_type COLLATE "C" SIMILAR TO '(a|b)%';
SELECT id FROM entity_facts WHERE 'mood' = data_type AND NOT data_type ~ '^t';
