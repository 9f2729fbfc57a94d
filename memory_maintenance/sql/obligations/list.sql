-- All obligations, those with the earliest deadline first.
-- Parameters: those of obligations/state. Slots: state; key. Result: obligations/state. Locks: none.
{state}
WHERE f.category::text = 'obligation'::text
ORDER BY {expires} NULLS LAST, f.{key}
