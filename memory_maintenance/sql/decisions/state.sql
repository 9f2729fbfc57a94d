-- What is known of decisions (spec 6). A fragment: users add WHERE, ORDER BY and a locking clause.
-- Slots: facts; key; name: the column key as text; value: as text; entity: entity_id; document: the column data
-- as jsonb; unreadable: whether data holds what can't be one; superseded: decisions/superseded.
-- Result: key; category, durability; name; value; entity_id; importance; decided, alternatives, reasoning,
-- decided_by, decided_at: the members of data.decision, NULL where they are absent or of another type;
-- do_not_reopen; supersedes, superseded_by: a key as text; superseded; problem: why data can't be written. Locks: those of the
-- user's clause.
SELECT
    f.{key} AS key,
    f.category::text AS category,
    f.durability::text AS durability,
    {name} AS name,
    {value} AS value,
    {entity} AS entity_id,
    f.importance AS importance,
    CASE
        WHEN pg_catalog.jsonb_typeof({document} #> '{{decision,decided}}'::text[]) = 'string'::text
            THEN {document} #>> '{{decision,decided}}'::text[]
    END AS decided,
    CASE
        WHEN pg_catalog.jsonb_typeof({document} #> '{{decision,alternatives}}'::text[]) = 'array'::text
            THEN ARRAY(
                SELECT a.alternative
                FROM pg_catalog.jsonb_array_elements_text({document} #> '{{decision,alternatives}}'::text[])
                    WITH ORDINALITY AS a (alternative, place)
                WHERE a.alternative IS NOT NULL
                ORDER BY a.place
            )
    END AS alternatives,
    CASE
        WHEN pg_catalog.jsonb_typeof({document} #> '{{decision,reasoning}}'::text[]) = 'string'::text
            THEN {document} #>> '{{decision,reasoning}}'::text[]
    END AS reasoning,
    CASE
        WHEN pg_catalog.jsonb_typeof({document} #> '{{decision,decided_by}}'::text[]) = 'string'::text
            THEN {document} #>> '{{decision,decided_by}}'::text[]
    END AS decided_by,
    CASE
        WHEN pg_catalog.jsonb_typeof({document} #> '{{decision,decided_at}}'::text[]) = 'string'::text
            THEN {document} #>> '{{decision,decided_at}}'::text[]
    END AS decided_at,
    coalesce(({document} -> 'do_not_reopen'::text)::text = 'true'::text, false) AS do_not_reopen,
    {document} ->> 'supersedes'::text AS supersedes,
    {document} ->> 'superseded_by'::text AS superseded_by,
    {superseded} AS superseded,
    CASE
        WHEN {unreadable} THEN 'data can''t be read as jsonb'
        WHEN pg_catalog.jsonb_typeof({document}) NOT IN ('object'::text, 'null'::text)
            THEN 'data is no object'
    END AS problem
FROM {facts} AS f
