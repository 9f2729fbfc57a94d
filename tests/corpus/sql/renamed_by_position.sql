WITH t (id, data_type) AS (SELECT id, key FROM entity_facts)
SELECT data_type FROM t;
WITH t (id, kind) AS (SELECT id, data_type FROM entity_facts)
SELECT kind FROM t;
CREATE VIEW v (id, data_type) AS SELECT id, durability FROM entity_facts;
SELECT data_type FROM v;
CREATE VIEW w (id, kind) AS SELECT id, data_type FROM entity_facts;
