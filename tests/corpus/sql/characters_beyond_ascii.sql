SELECT 'é😀', s.data_type, /* ü data_type */ f.data_type
FROM entity_facts AS f JOIN sensors AS s ON s.größe = f.id WHERE f.key = '😀' AND f.data_type = 'é';
