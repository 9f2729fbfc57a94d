MERGE INTO entity_facts AS f
USING staging AS s ON f.id = s.id
WHEN MATCHED AND f.data_type <> s.data_type THEN
    UPDATE SET data_type = s.data_type
WHEN NOT MATCHED THEN
    INSERT (id, data_type)
    VALUES (s.id, s.data_type);
