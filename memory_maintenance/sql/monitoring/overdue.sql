-- How many obligations are past their deadline at an instant, and not settled (spec 5); with a problem they are left out.
-- Parameters: those of obligations/state. Slots: state: the fragment obligations/state. Result: facts. Locks: none.
SELECT pg_catalog.count(*) AS facts
FROM (
    {state}
    WHERE f.category::text = 'obligation'::text
    OFFSET 0
) AS k
WHERE k.past
    AND k.problem IS NULL
    AND coalesce((k.obligation ->> 'status'::text) <> ALL ('{{done,cancelled,missed}}'::text[]), true)
