UPDATE entity_facts SET data_type = DEFAULT WHERE id = 1;
UPDATE entity_facts SET data_type = data_type || '_old';
UPDATE entity_facts SET (durability, category) =
    (SELECT m.durability, m.category FROM type_map AS m WHERE m.old = entity_facts.data_type);
UPDATE entity_facts SET (key, data_type) = ROW ('a', 'b') FROM sensors WHERE sensors.data_type = 'x';
