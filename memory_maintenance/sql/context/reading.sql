-- The facts that an agent may need before it speaks, for the projection. A fragment: to facts/reading.
-- Parameters: those of context/told; entity: a key as text, or NULL for all; include_private. Slots: reading; entity: entity_id
-- as text; told: context/told; settled: facts/settled; superseded: decisions/superseded.
(
    {reading}
    WHERE f.category::text = ANY ('{{decision,obligation,state,mood}}'::text[])
        AND (%(entity)s::text IS NULL OR {entity} = %(entity)s::text)
        AND (%(include_private)s OR {told})
        AND CASE f.category::text
            WHEN 'obligation'::text THEN NOT ({settled})
            WHEN 'decision'::text THEN NOT {superseded}
            ELSE true
        END
)
