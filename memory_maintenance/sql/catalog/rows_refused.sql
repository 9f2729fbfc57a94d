-- Stored rows that a condition refuses; like a CHECK, it lets NULL through. What it calls is run. The ids are
-- looked up only where there are some. The table has no alias: a condition on the whole row names the table.
-- Slots: relation; name: that of the table alone; key; condition; seen: a condition on the rows that count.
-- Result: rows bigint; ids text[]: the first five. Locks: ACCESS SHARE, and those of what the condition calls.
SELECT
    c.rows,
    CASE
        WHEN c.rows > 0 THEN ARRAY(
            SELECT {name}.{key}::text FROM {relation}
            WHERE CASE WHEN {seen} THEN NOT ({condition}) END
            ORDER BY {name}.{key} LIMIT 5
        )
        ELSE '{{}}'::text[]
    END AS ids
FROM (
    SELECT pg_catalog.count(*) AS rows FROM {relation}
    WHERE CASE WHEN {seen} THEN NOT ({condition}) END
) AS c
