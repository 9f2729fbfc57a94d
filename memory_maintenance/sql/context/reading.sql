-- The facts that an agent may need before it speaks, for the projection. A fragment: to facts/reading.
-- Parameters: entity: a key as text, or NULL for all; viewer: likewise; include_private. Slots: reading; entity: entity_id as
-- text; visibility: as text; scope: privacy_scope as text[]; settled: facts/settled; superseded:
-- decisions/superseded.
-- What privacy_scope says, where it is set, decides; else what isn't public is left out (spec 4).
(
    {reading}
    WHERE f.category::text = ANY ('{{decision,obligation,state,mood}}'::text[])
        AND (%(entity)s::text IS NULL OR {entity} = %(entity)s::text)
        AND (
            %(include_private)s
            OR CASE
                WHEN {scope} IS NOT NULL THEN coalesce(%(viewer)s::text = ANY ({scope}), false)
                ELSE coalesce({visibility} = 'public'::text, true)
            END
        )
        AND CASE f.category::text
            WHEN 'obligation'::text THEN NOT ({settled})
            WHEN 'decision'::text THEN NOT {superseded}
            ELSE true
        END
)
