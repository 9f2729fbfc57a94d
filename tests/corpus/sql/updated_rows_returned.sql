WITH changed AS (
    UPDATE entity_facts SET durability = 'permanent' RETURNING id, data_type
), other AS (
    INSERT INTO sensors (data_type) VALUES ('x') RETURNING id, data_type
)
SELECT c.data_type, o.data_type FROM changed AS c JOIN other AS o USING (id);
