CREATE VIEW old_shape AS
SELECT id, durability AS data_type FROM entity_facts;
SELECT data_type FROM old_shape;
