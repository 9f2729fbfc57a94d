WITH gone AS (
    DELETE FROM entity_facts WHERE expires < now() RETURNING *
)
SELECT data_type, count(*) FROM gone GROUP BY data_type;
