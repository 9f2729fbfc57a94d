-- The obligations of a key range about which something may be to do: without a deadline, past it and not marked,
-- marked and no longer past it, or with something wrong.
-- Parameters: those of obligations/state; first_key, last_key: the range, both ends included; with_status: whether
-- the facts can hold a status. Slots: state; key; key_type.
-- Result: obligations/state, in the order of keys. Locks: none.
SELECT
    s.key, s.version, s.category, s.deadline, s.endless, s.past, s.learned_at, s.obligation, s.deadline_text,
    s.value, s.problem
FROM (
    {state}
    WHERE f.{key} >= %(first_key)s::{key_type}
        AND f.{key} <= %(last_key)s::{key_type}
        AND f.category::text = 'obligation'::text
    OFFSET 0
) AS s
WHERE s.problem IS NOT NULL
    OR (
        coalesce(s.obligation ->> 'status'::text, 'open'::text)
            <> ALL ('{{done,cancelled,missed}}'::text[])
        AND (
            (s.deadline IS NULL AND NOT s.endless)
            OR (
                %(with_status)s
                AND (
                    s.past IS DISTINCT FROM coalesce(s.obligation ->> 'status'::text = 'overdue'::text, false)
                    OR (
                        s.past
                        AND s.obligation ->> 'overdue_at'::text IS DISTINCT FROM s.deadline
                    )
                )
            )
        )
    )
ORDER BY s.key
