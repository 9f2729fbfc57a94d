const q = `WITH entity_facts AS (SELECT 1 AS data_type) SELECT data_type FROM entity_facts`;
