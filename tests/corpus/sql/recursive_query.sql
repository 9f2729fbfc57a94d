WITH RECURSIVE chain AS (
    SELECT id, entity_id, data_type FROM entity_facts WHERE id = 1
    UNION ALL
    SELECT f.id, f.entity_id, f.data_type
    FROM chain AS c JOIN entity_facts AS f ON f.entity_id = c.id
)
SELECT data_type FROM chain;
