-- What stands at an instant, the most important first: by effective importance, then deadline, then key (spec 4, 5).
-- Parameters: those of facts/projection and context/reading; until: the end of what is upcoming; most: items;
-- longest: characters of a text. Slots: projected: the projection of context/reading; facts; key; name: the column
-- key as text; value: as text; entity: entity_id; document: the column data as jsonb.
-- Result: section, id, name, value, entity_id, importance, confidence, deadline; decided, reasoning, decided_by,
-- decided_at, alternatives, do_not_reopen, astray (whether it has a superseded_by): of a decision; decisions, overdue, upcoming, current: how many there are
-- in all. Locks: none.
-- A decision past its expires (policy 2) holds no longer. Of a row with a data problem nobody knows the importance: 5.
SELECT
    s.section,
    s.key AS id,
    pg_catalog."left"({name}, %(longest)s::int4) AS name,
    pg_catalog."left"({value}, %(longest)s::int4) AS value,
    {entity} AS entity_id,
    s.importance,
    s.confidence,
    -- Python has no years before 1.
    CASE
        WHEN s.deadline IS NOT NULL THEN greatest(s.deadline, '0001-01-01 00:00:00+00'::timestamptz)
    END AS deadline,
    CASE
        WHEN pg_catalog.jsonb_typeof({document} #> '{{decision,decided}}'::text[]) = 'string'::text
            THEN pg_catalog."left"({document} #>> '{{decision,decided}}'::text[], %(longest)s::int4)
    END AS decided,
    CASE
        WHEN pg_catalog.jsonb_typeof({document} #> '{{decision,reasoning}}'::text[]) = 'string'::text
            THEN pg_catalog."left"({document} #>> '{{decision,reasoning}}'::text[], %(longest)s::int4)
    END AS reasoning,
    CASE
        WHEN pg_catalog.jsonb_typeof({document} #> '{{decision,decided_by}}'::text[]) = 'string'::text
            THEN pg_catalog."left"({document} #>> '{{decision,decided_by}}'::text[], %(longest)s::int4)
    END AS decided_by,
    CASE
        WHEN pg_catalog.jsonb_typeof({document} #> '{{decision,decided_at}}'::text[]) = 'string'::text
            THEN pg_catalog."left"({document} #>> '{{decision,decided_at}}'::text[], %(longest)s::int4)
    END AS decided_at,
    CASE
        WHEN pg_catalog.jsonb_typeof({document} #> '{{decision,alternatives}}'::text[]) = 'array'::text
            THEN ARRAY(
                SELECT pg_catalog."left"(a.alternative, %(longest)s::int4)
                FROM pg_catalog.jsonb_array_elements_text({document} #> '{{decision,alternatives}}'::text[])
                    WITH ORDINALITY AS a (alternative, place)
                WHERE a.alternative IS NOT NULL
                ORDER BY a.place
                LIMIT %(alternatives)s
            )
        ELSE '{{}}'::text[]
    END AS alternatives,
    coalesce(({document} -> 'do_not_reopen'::text)::text = 'true'::text, false) AS do_not_reopen,
    {document} ->> 'superseded_by'::text IS NOT NULL AS astray,
    s.decisions,
    s.overdue,
    s.upcoming,
    s.current
FROM (
    SELECT
        c.section, c.key, c.importance, c.confidence, c.deadline,
        pg_catalog.row_number() OVER (ORDER BY c.importance DESC, c.deadline NULLS LAST, c.key) AS place,
        pg_catalog.count(*) FILTER (WHERE c.section = 'decisions'::text) OVER () AS decisions,
        pg_catalog.count(*) FILTER (WHERE c.section = 'overdue'::text) OVER () AS overdue,
        pg_catalog.count(*) FILTER (WHERE c.section = 'upcoming'::text) OVER () AS upcoming,
        pg_catalog.count(*) FILTER (WHERE c.section = 'current'::text) OVER () AS current
    FROM (
        SELECT
            CASE p.category::text
                WHEN 'decision'::text THEN CASE WHEN p.policy_no <> 2 THEN 'decisions'::text END
                WHEN 'obligation'::text THEN CASE
                    WHEN NOT pg_catalog.isfinite(p.expires) THEN NULL::text
                    WHEN p.expires <= %(as_of)s THEN 'overdue'::text
                    WHEN p.expires <= %(until)s THEN 'upcoming'::text
                END
                ELSE CASE WHEN p.value > %(threshold)s::float8 THEN 'current'::text END
            END AS section,
            p.key,
            coalesce(p.effective_importance::int4, 5) AS importance,
            p.value AS confidence,
            CASE
                WHEN p.category::text = 'obligation'::text THEN p.expires
            END AS deadline
        FROM ({projected}) AS p
        OFFSET 0
    ) AS c
    WHERE c.section IS NOT NULL
) AS s
JOIN {facts} AS f ON f.{key} = s.key
WHERE s.place <= %(most)s::int8
ORDER BY s.place
