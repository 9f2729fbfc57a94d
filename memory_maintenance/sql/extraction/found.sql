-- Facts that may be the one that was said: of the same entity, key and value, whatever letters are upper or lower, and
-- neither expired nor settled.
-- Parameters: name, value: case-folded; longest: characters that the value may have in other letters; entity; as_of;
-- fact: for only; decision: JSON; zone. Slots: facts; key; entity: a condition; same_name, same_value: extraction/letters; expires: the
-- column, a timestamptz; deadline: obligations/iso of it; settled: facts/settled; document: the column data as jsonb;
-- only: extraction/only, or extraction/first. Result: key; name; value; deadline: as text; decided: whether data.decision is the
-- one that was said; in the order of keys. Locks: those of only.
SELECT
    f.{key} AS key,
    f.key::text AS name,
    f.value::text AS value,
    CASE WHEN pg_catalog.isfinite({expires}) THEN {deadline} END AS deadline,
    coalesce({document} -> 'decision'::text = %(decision)s::jsonb, false) AS decided
FROM {facts} AS f
WHERE {entity}
    AND {same_name}
    AND pg_catalog.length(f.value::text) <= %(longest)s::int4
    AND {same_value}
    AND NOT {settled}
    AND NOT (
        coalesce({expires} <= %(as_of)s::timestamptz, false)
        AND coalesce(f.category::text, ''::text) <> 'obligation'::text
        AND NOT f.pinned
    )
{only}
