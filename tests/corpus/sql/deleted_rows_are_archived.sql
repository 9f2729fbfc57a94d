WITH gone AS (
    DELETE FROM entity_facts
    WHERE confidence < 0.05
    RETURNING *
)
INSERT INTO entity_facts_archive
SELECT * FROM gone;
