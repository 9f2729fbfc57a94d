-- Raises an error where a fact is unclassified or wrong: verify in a script.
-- Parameters: type_map: JSON. Slots: facts; verdict: migration/verdict. Result: one row. Locks: none.
SELECT CASE
    WHEN pg_catalog.count(*) > 0 THEN memory_maintenance.refuse(
        pg_catalog.format('%%s facts are not accounted for: run migrate-types --phase verify', pg_catalog.count(*))
    )
    ELSE false
END AS refused
FROM {facts} AS f
WHERE {verdict} IN ('unclassified', 'wrong')
