FROM entity_facts AS f
JOIN sensors AS s ON s.id = f.entity_id
WHERE f.data_type = 'permanent' AND s.data_type = 'float'
