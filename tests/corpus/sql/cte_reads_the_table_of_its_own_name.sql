WITH entity_facts AS (
    SELECT * FROM entity_facts WHERE confidence < 1
)
SELECT data_type FROM entity_facts;
